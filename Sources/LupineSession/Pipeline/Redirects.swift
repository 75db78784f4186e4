import HTTPTypes
import LupineCore

/// The redirects of one attempt.
struct Redirects: Sendable {
  /// The decision about a response that redirects.
  enum Decision {
    /// The redirect is followed with this request, for this reason.
    case follow(OutgoingRequest, reason: String)
    /// The response is kept, for this reason.
    case keep(reason: String)
    /// The redirect cannot be followed.
    case fail(LupineError)
  }

  /// The redirects that were followed.
  private(set) var steps: [RedirectStep] = []
  /// The URLs of the requests that were redirected.
  private var visited: [HTTPURL] = []

  /// Decides about a response; `nil` if it does not redirect.
  ///
  /// - Parameters:
  ///   - request: the request without the fields of its exchange.
  ///   - redirector: decides whether the redirect is followed, and may change the request.
  mutating func decide(
    after response: TransportResponse, to request: OutgoingRequest, by redirector: Redirector, _ rules: RedirectRules
  ) -> Decision? {
    // A proxy's response cannot redirect the request.
    guard response.source == .origin, RedirectRules.isRedirect(response.head, response.statusCode) else { return nil }
    visited.append(request.url)
    do throws(LupineError) {
      let proposed = try rules.next(after: response.head, to: request, visited: visited)
      guard let chosen = redirector.decide(proposed, response.head) else { return .keep(reason: Self.keptReason) }
      steps.append(RedirectStep(request: request, response: response.head))
      return .follow(
        rules.withoutStraySecrets(chosen, from: request), reason: "status \(response.head.status.code)")
    } catch {
      return redirector.follows ? .fail(error) : .keep(reason: Self.keptReason)
    }
  }

  private static let keptReason = "the redirector keeps it as the response"
}
