import HTTPTypes
import LupineCore

/// The redirects of one attempt.
struct Redirects: Sendable {
  /// The decision about a response that redirects.
  struct Decision {
    /// The request that follows; `nil` if the response is kept; the error if the redirect cannot be followed.
    let next: Result<OutgoingRequest?, LupineError>
    /// The reason, for monitors.
    let reason: String

    /// The event that explains the decision.
    func event(of head: HTTPResponse, to request: OutgoingRequest) -> SessionEvent.Kind {
      let next = try? next.get()
      let target = next?.url ?? (try? request.url.resolving(location: head.locationReference()))
      return .redirected(to: target?.redacted ?? "nowhere", isFollowed: next != nil, reason: reason)
    }
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
    if request.hasStoredOptions, let permits = request.options[PermittedRedirects.self], !permits(response.head) {
      return .kept("the request does not permit it")
    }
    visited.append(request.url)
    do throws(LupineError) {
      let proposed = try rules.next(after: response.head, to: request, visited: visited)
      guard let chosen = redirector.decide(proposed, response.head) else { return .keptByRedirector }
      steps.append(RedirectStep(request: request, response: response.head))
      return Decision(
        next: .success(rules.withoutStraySecrets(chosen, from: request)),
        reason: "status \(response.head.status.code)")
    } catch {
      return redirector.follows ? Decision(next: .failure(error), reason: error.message) : .keptByRedirector
    }
  }
}

extension Redirects.Decision {
  fileprivate static let keptByRedirector = kept("the redirector keeps it as the response")

  fileprivate static func kept(_ reason: String) -> Self { Self(next: .success(nil), reason: reason) }
}
