public import HTTPTypes
public import LupineCore

/// Decides how redirects are handled.
public struct Redirector: Sendable {
  /// Returns the request to send next, or `nil` to keep the redirect as the response; see `modify(_:)` for the thread.
  public typealias Decision = @Sendable (_ next: OutgoingRequest, _ response: HTTPResponse) -> OutgoingRequest?

  private let decision: Decision
  /// Whether a redirect that cannot be followed is an error; `false` for `doNotFollow`.
  let follows: Bool
  /// Whether a redirect from https to http is followed.
  private(set) var allowsDowngrade = false

  /// Follows redirects, with the method and body of RFC 9110 section 15.4 and without secrets across origins.
  public static let follow = Redirector(follows: true) { next, _ in next }
  /// Keeps the redirect as the response.
  public static let doNotFollow = Redirector(follows: false) { _, _ in nil }

  /// Calls a closure that may change the next request, or return `nil` to keep the redirect as the response.
  ///
  /// The closure is called on the request's task, off the transport's thread, while the redirect's body may be
  /// arriving. If the closure changes the origin, the secrets and the `Host` of the previous request are removed as
  /// well.
  public static func modify(_ decision: @escaping Decision) -> Redirector { Redirector(follows: true, decision) }

  /// Returns a redirector that also follows redirects from https to http, without the request's secrets.
  ///
  /// The request is then sent unencrypted. Default: such a redirect is an error of kind `redirectFailed`.
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
