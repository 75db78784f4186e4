public import LupineCore
import LupineFoundation
import LupineSupport
import Synchronization

/// Adds a credential to requests, and refreshes it when it has expired or a server refuses it.
///
/// Requests wait while the credential is refreshed. Concurrent refusals cause one refresh. A refusal that arrives after
/// a refresh, for a request sent before it, causes no further refresh: the request is sent again with the new
/// credential, or fails with the error of the refresh. If a refresh fails, each request that waits for it fails once,
/// with kind `refreshFailed`.
///
/// A refresh continues if the requests that wait for it are cancelled, because its result would be lost. It is
/// cancelled when another credential is set. A refreshed credential that requires a refresh at once is still sent, and
/// is refreshed when the server refuses it.
///
/// An interceptor can be installed in several sessions, which then share the credential and its refreshes.
public final class AuthenticationInterceptor<Authority: Authenticator>: RequestAdapter, Retrier, Plugin {
  private let authenticator: Authority
  private let scope: CredentialScope
  private let window: RefreshWindow
  private let clock: PolicyClock
  private let state: Mutex<RefreshState<Authority.Credential>>

  /// Creates an interceptor.
  ///
  /// - Parameters:
  ///   - authenticator: applies and refreshes the credential.
  ///   - credential: the initial credential. If it is `nil`, requests fail with kind `missingCredential` until one is
  ///     set.
  ///   - scope: the origins that the credential may be sent to. Default: the origin of the session's base URL.
  ///   - refreshWindow: the maximum rate of refreshes; beyond it, requests fail with kind `excessiveRefresh`. Default:
  ///     5 refreshes in 30 seconds.
  ///   - clock: the clock of the window. Default: that of the first session that uses the interceptor.
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

  /// The credential; `nil` if there is none.
  ///
  /// Setting it continues the requests that wait for a refresh. The running refresh is cancelled and its result is
  /// discarded. A refresh of the new credential begins only after the cancelled one has returned.
  public var credential: Authority.Credential? {
    get { state.withLock { $0.credential } }
    set {
      let (waiters, overtaken) = state.withLock { $0.replace(newValue) }
      overtaken?.cancel()
      for waiter in waiters { waiter.resume(returning: .success(())) }
    }
  }

  /// The origins that the credential may be sent to.
  public var credentialScope: CredentialScope? { scope }

  /// Adds the interceptor as an adapter and as a retrier.
  public func install(in builder: inout Session.Builder) { builder = builder.adapter(self).retrier(self) }

  /// Adds the credential to the request, after a refresh if one is due.
  ///
  /// - Throws: `LupineError` of kind `missingCredential`, `refreshFailed` or `excessiveRefresh`; of kind
  ///   `adaptationFailed` if the scope is the base URL's origin and there is no base URL.
  public func adapt(_ request: OutgoingRequest, for session: Session) async throws -> OutgoingRequest {
    guard !RefreshContext.running.contains(key), try scope.allows(request.url, baseURL: session.baseURL) else {
      return request
    }
    let time = clock.clock(or: session.clock.clock)
    while true {
      let (credential, mark) = state.withLock { ($0.credential, $0.mark) }
      // Asked outside the lock: a credential may read the interceptor's.
      let requiresRefresh = credential?.requiresRefresh(at: session.configuration.now()) ?? false
      let now = time.now()
      switch state.withLock({ $0.next(now: now, requiresRefresh: requiresRefresh, of: mark, window) }) {
      case .apply(let credential, let mark):
        var request = request
        authenticator.apply(credential, to: &request)
        request.options[RefreshMarks.self][key] = mark
        return request
      case .wait(let waiter): try await wait(waiter)
      case .refresh(let credential, let mark, let waiter):
        refresh(credential, mark, for: session)
        try await wait(waiter)
      case .missing: throw RefreshState<Authority.Credential>.missing
      case .excessive: throw RefreshState<Authority.Credential>.excessive(window)
      case .overtaken: continue
      }
    }
  }

  /// Retries a refused request with a newer credential; does not retry a request whose serializer failed.
  public func decision(for attempt: AttemptOutcome) async -> RetryDecision {
    guard let response = attempt.response, !attempt.failedInSerializer, attempt.source == .origin,
      !attempt.hasLeftOrigin,
      let mark = attempt.request.options[RefreshMarks.self][key],
      authenticator.didRequest(attempt.lastRequest, failDueToAuthenticationError: response)
    else { return .doNotRetry }
    // The window does not limit the retries if a server responds slowly.
    guard attempt.retries <= window.maximumAttempts else {
      return .fail(RefreshState<Authority.Credential>.excessive(window))
    }
    guard attempt.request.body.isReplayable else { return .retry }
    let (decision, note) = state.withLock { $0.refused(mark) }
    attempt.note(note)
    return decision
  }

  /// `false`: a serializer that fails has received a response, so another attempt is not the remedy.
  public var decidesAboutSerializers: Bool { false }

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
      let isDue = (try? result.get())?.requiresRefresh(at: session.configuration.now()) ?? false
      let (waiters, outcome) = state.withLock { $0.finish(result, mark, isDue: isDue) }
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

/// The number of the credential that each interceptor has put on the request.
///
/// A refusal by another origin does not count as the refusal of a token, so the numbers belong to one origin.
private enum RefreshMarks: RequestOptionKey {
  static var defaultValue: [ObjectIdentifier: Int] { [:] }
  static var isKeptAcrossOrigins: Bool { false }
}

/// The interceptors whose refresh the current task runs; requests of the refresh do not wait for it.
private enum RefreshContext {
  @TaskLocal static var running: Set<ObjectIdentifier> = []
}
