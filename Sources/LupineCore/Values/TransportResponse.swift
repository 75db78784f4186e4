public import HTTPTypes

/// A transport's response: the final head, and a body that may still arrive.
///
/// Its description contains no fields, which may be secret.
public struct TransportResponse: Sendable, HidesSecrets {
  /// The head of the final response.
  public var head: HTTPResponse { didSet { statusCode = head.status.code } }
  /// The body, which goes to the sink's destination.
  public var body: ResponseBody
  /// The sender of the response.
  public var source: Source
  /// The attributes that layers and interceptors have set.
  ///
  /// The session passes them to serializers and to the program.
  ///
  /// Default: none.
  public var attributes = ResponseAttributes()
  /// The status code as a number; the head stores it as text.
  public private(set) var statusCode: Int

  /// The status and the sender.
  public var description: String { "status \(statusCode) from the \(source)" }

  /// Creates a response.
  public init(head: HTTPResponse, body: ResponseBody, source: Source = .origin) {
    self.head = head
    self.body = body
    self.source = source
    statusCode = head.status.code
  }

  /// Creates a response whose status code is known as a number.
  public init(head: HTTPResponse, statusCode: Int, body: ResponseBody, source: Source) {
    self.head = head
    self.body = body
    self.source = source
    self.statusCode = statusCode
  }

  /// The sender of a response.
  public enum Source: Sendable, Hashable {
    /// The server that the URL names, or a gateway for it.
    case origin
    /// A proxy that refused the connection (RFC 9110 section 9.3.6) or requires authentication (407).
    ///
    /// The content of a refusal is not delivered.
    case proxy
  }
}

/// One redirect that was followed: the request that was sent, and the redirect response.
public struct RedirectStep: Sendable, HidesSecrets {
  /// The request as it was sent.
  public let request: OutgoingRequest
  /// The head of the redirect.
  public let response: HTTPResponse

  /// Creates a step.
  public init(request: OutgoingRequest, response: HTTPResponse) {
    self.request = request
    self.response = response
  }

  /// The request without its secrets, and the status.
  public var description: String { "\(request.summary) (\(response.status.code))" }
}
