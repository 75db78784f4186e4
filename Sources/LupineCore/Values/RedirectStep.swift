public import HTTPTypes

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
