public import HTTPTypes
public import LupineCore

/// What happens at a redirect.
public struct Redirector: Sendable {
  /// Answers for one redirect: the request to send next, or `nil` to keep the redirect as the response.
  public typealias Decision = @Sendable (_ next: OutgoingRequest, _ response: HTTPResponse) -> OutgoingRequest?

  private let decision: Decision
  /// Whether a redirect that cannot be followed is an error; not where none would be.
  let follows: Bool
  /// Whether https may lead to http.
  private(set) var allowsDowngrade = false

  /// Follows, with the method and body that RFC 9110 section 15.4 asks for and without secrets across origins.
  public static let follow = Redirector(follows: true) { next, _ in next }
  /// Keeps the redirect as the response.
  public static let doNotFollow = Redirector(follows: false) { _, _ in nil }

  /// Lets a closure change the next request, or answer `nil` to keep the redirect as the response.
  ///
  /// Where the closure sends the request to another origin, the secrets and the `Host` of the one before stay behind as
  /// well.
  public static func modify(_ decision: @escaping Decision) -> Redirector { Redirector(follows: true, decision) }

  /// Returns the redirector so that it follows from https to http too, where anyone on the way reads the request; its
  /// secrets stay behind.
  ///
  /// Default: such a redirect is an error of kind `redirectFailed`.
  public func allowingDowngrade() -> Redirector {
    var copy = self
    copy.allowsDowngrade = true
    return copy
  }

  private init(follows: Bool, _ decision: @escaping Decision) {
    self.follows = follows
    self.decision = decision
  }

  func decide(_ next: OutgoingRequest, _ response: HTTPResponse) -> OutgoingRequest? { decision(next, response) }
}
