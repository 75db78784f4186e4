public import HTTPTypes

/// What happens at a redirect.
public struct Redirector: Sendable {
  /// Answers for one redirect: the request to send next, or `nil` to keep the redirect as the response.
  public typealias Decision = @Sendable (_ next: OutgoingRequest, _ response: HTTPResponse) -> OutgoingRequest?

  private let decision: Decision
  /// Whether a redirect that cannot be followed is an error; not where none would be.
  let follows: Bool

  /// Follows, with the method and body that RFC 9110 section 15.4 asks for and without secrets across origins.
  public static let follow = Redirector(follows: true) { next, _ in next }
  /// Keeps the redirect as the response.
  public static let doNotFollow = Redirector(follows: false) { _, _ in nil }

  /// Lets a closure change the next request, or answer `nil` to keep the redirect as the response.
  public static func modify(_ decision: @escaping Decision) -> Redirector { Redirector(follows: true, decision) }

  private init(follows: Bool, _ decision: @escaping Decision) {
    self.follows = follows
    self.decision = decision
  }

  func decide(_ next: OutgoingRequest, _ response: HTTPResponse) -> OutgoingRequest? { decision(next, response) }
}
