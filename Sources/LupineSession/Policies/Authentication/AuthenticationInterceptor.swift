import FoundationEssentials
public import LupineCore
import LupineSupport
import Synchronization

/// Puts a credential on requests and refreshes it when it has expired or a server refuses it.
///
/// Requests that come while it is being refreshed wait; however many a server refuses at the same time, the credential is
/// refreshed once. A refusal that arrives after a refresh, of a request sent before it, does not refresh again: the
/// request is sent again with the new credential, or fails as the refresh did. When a refresh fails, every request that
/// waited for it fails, once, with kind `refreshFailed`. A refresh goes on when the requests that wait for it are
/// cancelled, because its result would be lost; it is cancelled once another credential is set. A new credential that
/// says that it is due at once is sent nevertheless, and refreshed when the server refuses it.
///
/// Install it in a session, or in several: they share the credential and its refreshes.
public final class AuthenticationInterceptor<Authority: Authenticator>: RequestAdapter, Retrier, Plugin {
  private let authenticator: Authority
  private let scope: CredentialScope
  private let window: RefreshWindow
  private let clock: PolicyClock
  private let state: Mutex<RefreshState<Authority.Credential>>

  /// Makes an interceptor.
  ///
  /// - Parameters:
  ///   - authenticator: how the credential is used and refreshed.
  ///   - credential: what to begin with. Without one, requests fail with kind `missingCredential` until it is set.
  ///   - scope: where the credential may go. Default: the origin of the session's base URL.
  ///   - refreshWindow: how often it may be refreshed; beyond that requests fail with kind `excessiveRefresh`. Default: 5
  ///     times in 30 seconds.
  ///   - clock: the clock of the window. Default: that of the session that uses it first.
  public init(
    _ authenticator: Authority, credential: Authority.Credential? = nil, to scope: CredentialScope = .baseURL,
    refreshWindow: RefreshWindow = RefreshWindow(), clock: (any Clock<Duration>)? = nil
  ) {
    self.authenticator = authenticator
    self.scope = scope
    window = refreshWindow
    self.clock = PolicyClock(clock)
    state = Mutex(RefreshState(credential: credential))
  }

  /// The credential; `nil` where nobody is logged in.
  ///
  /// Setting it lets requests that wait for a refresh go on. The refresh is cancelled and its result dropped; one that the
  /// new credential needs begins when that one has returned.
  public var credential: Authority.Credential? {
    get { state.withLock { $0.credential } }
    set {
      let (waiters, overtaken) = state.withLock { $0.replace(newValue) }
      overtaken?.cancel()
      for waiter in waiters { waiter.resume(returning: .success(())) }
    }
  }

  /// Where the credential may go.
  public var credentialScope: CredentialScope? { scope }

  /// Adds itself as an adapter and as a retrier.
  public func install(in builder: inout Session.Builder) { builder = builder.adapter(self).retrier(self) }

  /// Puts the credential on the request, after a refresh where one is due.
  ///
  /// - Throws: `LupineError` of kind `missingCredential`, `refreshFailed` or `excessiveRefresh`; of kind `adaptationFailed`
  ///   where the scope is the base URL's origin and there is no base URL.
  public func adapt(_ request: OutgoingRequest, for session: Session) async throws -> OutgoingRequest {
    guard !RefreshContext.running.contains(key), try scope.allows(request.url, baseURL: session.baseURL) else {
      return request
    }
    let time = clock.clock(or: session.clock.clock)
    while true {
      let date = session.configuration.now()
      switch state.withLock({ $0.next(now: time.now(), date: date, window) }) {
      case .apply(let credential, let mark):
        var request = request
        authenticator.apply(credential, to: &request)
        request.options.refreshMarks[key] = mark
        return request
      case .wait(let waiter): try await wait(waiter)
      case .refresh(let credential, let mark, let waiter):
        refresh(credential, mark, for: session)
        try await wait(waiter)
      case .missing: throw RefreshState<Authority.Credential>.missing
      case .excessive: throw RefreshState<Authority.Credential>.excessive(window)
      }
    }
  }

  /// Has a refused request sent again, with a credential that is newer.
  public func decision(for attempt: AttemptOutcome) async -> RetryDecision {
    guard let response = attempt.response, attempt.source == .origin, !attempt.hasLeftOrigin,
      let mark = attempt.request.options.refreshMarks[key],
      authenticator.didRequest(attempt.lastRequest, failDueToAuthenticationError: response)
    else { return .doNotRetry }
    // A server that answers slowly would outlast every window.
    guard attempt.retries <= window.maximumAttempts else {
      return .fail(RefreshState<Authority.Credential>.excessive(window))
    }
    guard attempt.request.body.isReplayable else { return .retry }
    let (decision, note) = state.withLock { $0.refused(mark) }
    attempt.note(note)
    return decision
  }

  private var key: ObjectIdentifier { ObjectIdentifier(self) }

  private func wait(_ waiter: RefreshState<Authority.Credential>.Waiting) async throws {
    guard let result = await waiter.value() else { throw CancellationError() }
    try result.get()
  }

  private func refresh(_ credential: Authority.Credential, _ mark: Int, for session: Session) {
    let task = Task(executorPreference: session.configuration.executor) { [self] in
      let result = await RefreshContext.$running.withValue(RefreshContext.running.union([key])) {
        // The refresh also serves other requests, so no request's deadline applies to it.
        let result = await Session.$deadlines.withValue([]) { await refreshed(credential, for: session) }
        if case .success(let new) = result, state.withLock({ $0.wants(mark) }) { await authenticator.didRefresh(new) }
        return result
      }
      let date = session.configuration.now()
      let (waiters, outcome) = state.withLock { $0.finish(result, mark, date: date) }
      for waiter in waiters { waiter.resume(returning: outcome) }
    }
    if state.withLock({ $0.keep(task, of: mark) }) { task.cancel() }
  }

  private func refreshed(
    _ credential: Authority.Credential, for session: Session
  ) async -> Result<Authority.Credential, LupineError> {
    do {
      return .success(try await authenticator.refresh(credential, for: session))
    } catch {
      let reason = (error as? LupineError)?.message ?? "\(error)"
      return .failure(
        LupineError(.refreshFailed, "The credential could not be refreshed: \(reason)", underlying: error))
    }
  }
}

/// The interceptors whose refresh the current task is part of; its requests must not wait for themselves.
private enum RefreshContext {
  @TaskLocal static var running: Set<ObjectIdentifier> = []
}
