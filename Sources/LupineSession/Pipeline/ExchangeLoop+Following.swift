import HTTPTypes
import LupineCore
import Synchronization

/// The next request of an attempt: after a redirect, an answered challenge or a refreshed URL.
extension ExchangeLoop {
  /// Whether a response is final and neither a cookie store nor a consumer uses it; the common case.
  func isAnswer(_ response: TransportResponse) -> Bool {
    guard !session.hasCookieStore, task.consumer == nil, response.statusCode != 401, response.statusCode != 407 else {
      return false
    }
    return task.state.withLock { $0.exchange.isPlain }
  }

  /// Whether a response may lead to another request; avoids an asynchronous call in the common case.
  func mayLeadOn(_ response: TransportResponse) -> Bool {
    response.statusCode == 401 || response.statusCode == 407 || task.consumer?.mayLeadOn == true
      || task.state.withLock { $0.exchange.redirect != nil }
  }

  /// The request that a redirect or a challenge leads to; `nil` if this response is final.
  func following(
    _ response: TransportResponse, to request: OutgoingRequest
  ) async throws(LupineError) -> OutgoingRequest? {
    if response.source == .origin, let redirect = task.state.withLock({ $0.exchange.redirect }) {
      let next = try redirect.get()
      task.state.withLock { $0.redirects.append(RedirectStep(request: request, response: response.head)) }
      return next
    }
    if let challenger = challenger(of: response.statusCode, from: response.source, to: request),
      try await answers(response, to: challenger)
    {
      return request
    }
    if let work = task.consumer?.repeating() {
      try await awaitEnd(of: response)
      if let error = await task.failure(of: work) { throw error }
      return request
    }
    if let next = task.consumer?.following(request) { return next }
    // A response of the proxy says nothing about the URL, and a refreshed URL would use the same proxy.
    guard response.source == .origin, let refresh = task.consumer?.refreshing(after: response.head) else { return nil }
    try await awaitEnd(of: response)
    return try await refreshing(request, after: response.head, refresh)
  }

  /// The request with the URL that the program returns as a replacement for an expired one.
  private func refreshing(
    _ request: OutgoingRequest, after head: HTTPResponse,
    _ refresh: @escaping @Sendable () async throws -> any URLConvertible
  ) async throws(LupineError) -> OutgoingRequest {
    let next: OutgoingRequest
    do {
      let baseURL = session.baseURL
      let url = try await task.interruptible { try await refresh().asURL(relativeTo: baseURL) }
      next = request.moved(to: url, secrets: session.configuration.secretFields)
    } catch let error as LupineError {
      throw error
    } catch {
      throw LupineError(.other, "The closure that gives a fresh URL threw: \(error).", underlying: error)
    }
    task.consumer?.refreshed(next.url)
    let reason = "the URL had expired, with status \(head.status.code)"
    task.emit(.redirected(to: next.url.redacted, isFollowed: true, reason: reason), attempt: number)
    return next
  }

  /// Decides at a head whether its redirect is followed; `true` if the response's body is not needed.
  func decideRedirect(_ head: HTTPResponse, _ status: Int, _ request: OutgoingRequest) -> Bool {
    guard RedirectRules.isRedirect(head, status) else { return false }
    let redirector = task.state.withLock { $0.settings.redirector } ?? session.configuration.redirector
    let rules = RedirectRules(
      secrets: session.configuration.secretFields, limits: session.configuration.limits,
      allowsDowngrade: redirector.allowsDowngrade)
    let visited = task.state.withLock { state in
      state.exchange.visited.append(request.url)
      return state.exchange.visited
    }
    let decided: Result<OutgoingRequest, LupineError>?
    do throws(LupineError) {
      let proposed = try rules.next(after: head, to: request, visited: visited)
      decided = redirector.decide(proposed, head).map { .success(rules.withoutStraySecrets($0, from: request)) }
    } catch {
      decided = redirector.follows ? .failure(error) : nil
    }
    task.emit(Self.event(decided, head, request), attempt: number)
    task.state.withLock { $0.exchange.redirect = decided }
    return decided != nil
  }

  private static func event(
    _ decided: Result<OutgoingRequest, LupineError>?, _ head: HTTPResponse, _ request: OutgoingRequest
  ) -> SessionEvent.Kind {
    let target = (try? request.url.resolving(location: head.headerFields[.location] ?? ""))?.redacted ?? "nowhere"
    return switch decided {
    case .success(let next):
      .redirected(to: next.url.redacted, isFollowed: true, reason: "status \(head.status.code)")
    case .failure(let error): .redirected(to: target, isFollowed: false, reason: error.message)
    case nil: .redirected(to: target, isFollowed: false, reason: "the redirector keeps it as the response")
    }
  }
}
