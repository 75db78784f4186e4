public import HTTPTypes
public import LupineCore

/// A response of any kind, with the request that it answers.
public protocol ResponseMetadata: Sendable {
  /// The request as it was last sent, after redirects; `nil` if none could be created.
  var request: OutgoingRequest? { get }
  /// The head of the response; `nil` if none arrived.
  var response: HTTPResponse? { get }
}

extension ResponseMetadata {
  /// The status code; `nil` if no head arrived.
  public var statusCode: Int? { response?.status.code }

  /// The header fields; empty if no head arrived.
  public var headers: HTTPFields { response?.headerFields ?? HTTPFields() }

  /// The value of a header field; `nil` if there is none.
  ///
  /// Several fields of the name are joined with commas (RFC 9110 section 5.3). `headers[values: name]` has each of
  /// them, which `Set-Cookie` needs.
  public func value(of name: HTTPField.Name) -> String? { response?.headerFields[name] }

  /// The value of a header field, whose name may be written in any case; `nil` if there is none.
  public func value(of name: String) -> String? { HTTPField.Name(name).flatMap { value(of: $0) } }

  /// The links of the `Link` fields, resolved against the URL of the response (RFC 8288).
  ///
  /// Links that cannot be read are skipped. The fields are parsed at each call.
  public var links: [WebLink] { WebLink.links(in: headers, relativeTo: request?.url) }
}

extension DataResponse: ResponseMetadata {}
