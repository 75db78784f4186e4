import FoundationEssentials

/// What an `AuthenticationInterceptor` knows of its credential.
///
/// A mark numbers the credentials and the outcomes of refreshes: a request keeps the one it was sent with, so that a late
/// refusal can be told from one of the credential in use.
struct RefreshState<Credential: AuthenticationCredential> {
  typealias Waiting = Waiter<Result<Void, LupineError>>

  /// What a request does next.
  enum Step {
    case apply(Credential, mark: Int)
    case wait(Waiting)
    case refresh(Credential, mark: Int, Waiting)
    case missing
    case excessive
  }

  private(set) var credential: Credential?
  private var mark = 0
  /// How the last refresh failed, where it did.
  private var failure: LupineError?
  /// Whether the server has refused the credential.
  private var isRefused = false
  private var isRefreshing = false
  private var waiters: [Waiting] = []
  /// When the refreshes of the window began.
  private var starts: [Duration] = []

  init(credential: Credential?) { self.credential = credential }

  /// Says what a request does that is to be sent.
  mutating func next(now: Duration, date: Date, _ window: RefreshWindow) -> Step {
    guard let credential else { return .missing }
    if isRefreshing { return .wait(addWaiter()) }
    guard isRefused || credential.requiresRefresh(at: date) else { return .apply(credential, mark: mark) }
    starts.removeAll { $0 <= now - window.interval }
    guard starts.count < window.maximumAttempts else { return .excessive }
    starts.append(now)
    isRefreshing = true
    return .refresh(credential, mark: mark, addWaiter())
  }

  /// Decides about a request that was refused; the note tells why.
  mutating func refused(_ sent: Int) -> (RetryDecision, note: String) {
    guard sent == mark else {
      if let failure { return (.fail(failure), "the refresh of its credential has failed") }
      return (.retry, "the credential has been refreshed meanwhile")
    }
    isRefused = true
    return (.retry, "the credential is refreshed")
  }

  /// Takes the result of a refresh in; one that a new credential has overtaken is dropped.
  mutating func finish(
    _ result: Result<Credential, LupineError>, _ started: Int
  ) -> (waiters: [Waiting], Result<Void, LupineError>) {
    guard started == mark, isRefreshing else { return ([], .success(())) }
    switch result {
    case .success(let new):
      return (settle(new, nil), .success(()))
    case .failure(let error):
      return (settle(credential, error), .failure(error))
    }
  }

  /// Puts another credential in the place of the one there is; returns who waits.
  mutating func replace(_ new: Credential?) -> [Waiting] { settle(new, nil) }

  private mutating func settle(_ new: Credential?, _ error: LupineError?) -> [Waiting] {
    credential = new
    failure = error
    mark += 1
    isRefused = false
    isRefreshing = false
    defer { waiters = [] }
    return waiters
  }

  private mutating func addWaiter() -> Waiting {
    let waiter = Waiting()
    waiters.append(waiter)
    return waiter
  }

  static var missing: LupineError {
    LupineError(
      .missingCredential, "There is no credential to send the request with; set the interceptor's credential.")
  }

  static func excessive(_ window: RefreshWindow) -> LupineError {
    LupineError(
      .excessiveRefresh,
      "The credential was refreshed \(window.maximumAttempts) times within \(window.interval.milliseconds) and the server "
        + "still refuses it; log in again.")
  }
}
