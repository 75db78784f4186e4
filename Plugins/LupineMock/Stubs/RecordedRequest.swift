public import HTTPTypes
import LupineCoding
public import LupineCore
import LupineDoubles
public import LupineFoundation

/// A request that a mock received.
public struct RecordedRequest: Sendable {
  /// The session's number for the request.
  public let id: RequestID
  /// The number of the attempt, from 1.
  public let attempt: Int
  /// The method.
  public var method: HTTPRequest.Method { request.method }
  /// The URL.
  public var url: HTTPURL { request.url }
  /// The fields, in order, without `Host` and the framing of the body, which a transport adds itself.
  ///
  /// A request whose body waited for 100 Continue has its `Expect` field.
  public var headers: HTTPFields { request.headers }
  /// The body's bytes; empty if there was no body.
  public private(set) var body: Data
  /// Whether the body is complete.
  ///
  /// False if the stub answered before the end of the body or in place of 100 Continue, or if no connection was made.
  public private(set) var isBodyComplete: Bool
  /// The credential that would authenticate the request's connection, with NTLM or Negotiate.
  public var connectionCredential: ConnectionCredential? { connectionKey.connectionCredential }
  /// The proxy that a transport with a network would have used.
  public var proxy: Proxy? { connectionKey.proxy }
  /// The value of `Proxy-Authorization` that would have been sent to that proxy, and to no server.
  public let proxyAuthorization: String?
  /// The Unix-domain socket to which a transport with a network would have connected.
  public var unixSocket: String? { connectionKey.unixSocket }
  /// The priority among waiting requests.
  public var priority: OutgoingRequest.Priority { request.options.priority }
  /// The options, those of plugins included; they are not sent.
  public var options: OutgoingRequest.Options { request.options }
  let stub: Stub?
  /// Why no stub matched, with the nearest stubs.
  let mismatch: String?
  private let request: OutgoingRequest
  private let connectionKey: ConnectionKey
  /// The fields that a dump redacts.
  private let secretFields: SecretFields

  init(
    _ request: OutgoingRequest, body: Data, isBodyComplete: Bool, context: TransferContext, stub: Stub?,
    mismatch: String? = nil
  ) {
    id = context.id
    attempt = context.attempt
    proxyAuthorization = context.proxyAuthorization
    connectionKey = context.connectionKey
    secretFields = context.secretFields
    self.request = request.withoutBody
    self.body = body
    self.isBodyComplete = isBodyComplete
    self.stub = stub
    self.mismatch = mismatch
  }

  /// Removes the body, which no server receives.
  mutating func removeBody() { (body, isBodyComplete) = (Data(), false) }

  /// Whether a stub matched the request.
  public var isExpected: Bool { stub != nil }

  /// The values of the variables in the stub's URL template, percent-decoded, such as `42` for `id`.
  public var variables: [String: String] { stub?.template?.variables(in: url) ?? [:] }

  /// The body as text; bytes that are not UTF-8 are replaced.
  public var text: String { String(decoding: body, as: UTF8.self) }

  /// Decodes the body from JSON.
  ///
  /// - Parameter decoder: what decodes the body, for example with the program's date format. Default: a `JSONDecoder`
  ///   with its default settings.
  /// - Throws: `LupineError` of kind `serializationFailed`, whose message names the first byte that is not JSON, or of
  ///   kind `limitExceeded(.nesting)`.
  public func json<Value: Decodable>(
    _ type: Value.Type = Value.self, decoder: any DataDecoder = JSONDecoder()
  ) throws(LupineError) -> Value {
    try decoder.decodeGuarded(type, from: body, contentType: headers[.contentType] ?? "")
  }

  /// The items of a form body, percent-decoded, in order.
  ///
  /// An item without `=` has no value. Empty if `Content-Type` is not `application/x-www-form-urlencoded`.
  public var form: [URLQueryItem] {
    let type = headers[.contentType]?.lowercased() ?? Self.formType
    guard type.hasPrefix(Self.formType) else { return [] }
    return ParameterItem.items(in: text).map { URLQueryItem(name: $0.name, value: $0.value) }
  }

  private static let formType = "application/x-www-form-urlencoded"

  /// Returns the values of a query item, percent-decoded, in order; an item without `=` has an empty value.
  public func query(_ name: String) -> [String] {
    ParameterItem.items(of: url).filter { $0.name == name }.map { $0.value ?? "" }
  }
}

extension OutgoingRequest {
  /// The request without its body, so that the record does not retain a stream.
  fileprivate var withoutBody: OutgoingRequest {
    guard hasBody else { return self }
    var request = self
    request.body = .none
    return request
  }
}

extension RecordedRequest: CustomStringConvertible {
  /// The method and the URL, without the values of parameters with secret names, such as `api_key`.
  public var description: String { "\(method.rawValue) \(url.withoutSecrets())" }
}

extension RecordedRequest: CustomReflectable {
  /// The request with its secret fields redacted.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "request": description, "attempt": attempt, "headers": secretFields.redact(headers), "body": text,
      ])
  }
}
