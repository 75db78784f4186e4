public import HTTPTypes

/// What a transport brings back: the final head, and the body that is on its way.
///
/// Its description has no fields, which may be secret.
public struct TransportResponse: Sendable, HidesSecrets {
  /// The head of the final response.
  public var head: HTTPResponse { didSet { statusCode = head.status.code } }
  /// The body, which goes where the sink said.
  public var body: ResponseBody
  /// Who answered.
  public var source: Source
  /// The head's status, which stands there as text and is asked for at every step.
  package private(set) var statusCode: Int

  /// The status and who answered.
  public var description: String { "status \(statusCode) from the \(source)" }

  /// Joins a head and its body.
  public init(head: HTTPResponse, body: ResponseBody, source: Source = .origin) {
    self.head = head
    self.body = body
    self.source = source
    statusCode = head.status.code
  }

  /// Joins a head, of which the status is known as a number, and its body.
  public init(head: HTTPResponse, statusCode: Int, body: ResponseBody, source: Source) {
    self.head = head
    self.body = body
    self.source = source
    self.statusCode = statusCode
  }

  /// Who answered.
  public enum Source: Sendable, Hashable {
    /// The server that the URL names, or a gateway in its place.
    case origin
    /// A proxy that refused to make the connection (RFC 9110 section 9.3.6), or wants to know who asks (407).
    ///
    /// The content of a refusal is not handed over.
    case proxy
  }
}

/// One redirect that was followed: the request that was sent, and the response that led on.
public struct RedirectStep: Sendable, HidesSecrets {
  /// The request as it was sent.
  public let request: OutgoingRequest
  /// The head of the redirect.
  public let response: HTTPResponse

  /// Joins a request and the redirect that answered it.
  public init(request: OutgoingRequest, response: HTTPResponse) {
    self.request = request
    self.response = response
  }

  /// The request without its secrets, and the status.
  public var description: String { "\(request.summary) (\(response.status.code))" }
}
