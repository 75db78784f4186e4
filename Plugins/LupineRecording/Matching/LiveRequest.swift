import HTTPTypes
import LupineCore
import LupineFoundation

/// A request that is compared with the entries of a recording: with placeholders in the place of its secrets.
struct LiveRequest: Sendable {
  let method: HTTPRequest.Method
  let url: HTTPURL
  let fields: HTTPFields
  /// The bytes of the body, decoded; empty if nothing compares them.
  let body: Data

  /// Replaces the secrets of a request.
  ///
  /// - Parameter body: the bytes of the body without content codings; empty if the matching does not read them.
  init(_ request: OutgoingRequest, body: Data = Data(), redaction: Redaction, secretFields: SecretFields) {
    let rules = SecretRules(redaction, secretFields: secretFields, knowsNumbers: true)
    let live = EntryRedaction(live: rules)
    method = request.method
    url = (try? HTTPURL(live.url(request.url.string))) ?? request.url
    fields = live.fields(request.headers, of: "the request")
    self.body =
      body.isEmpty
      ? body : Data(live.body([UInt8](body), contentType: request.headers[.contentType], "the request's body").bytes)
  }

  /// The request as matchers of its parts receive it.
  var snapshot: RequestSnapshot { RequestSnapshot(method: method, url: url, headers: fields, body: body) }
}
