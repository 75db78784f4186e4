import LupineCore
import LupineSupport

/// The state of an `AuthenticationInterceptor`'s credential.
///
/// A mark numbers the credentials and the outcomes of refreshes. A request stores the mark that it was sent with, so
/// that a late refusal is distinguished from a refusal of the current credential.
struct RefreshState<Credential: AuthenticationCredential> {
  typealias Waiting = Waiter<Result<Void, LupineError>>

  /// The next step of a request.
  enum Step {
    case apply(Credential, mark: Int)
    case wait(Waiting)
    case refresh(Credential, mark: Int, Waiting)
    case missing
    case excessive
    /// Another credential was set, or a refresh ended, since the credential was read.
    case overtaken
  }

  private(set) var credential: Credential?
  private(set) var mark = 0
  /// The error of the last refresh, if it failed.
  private var failure: LupineError?
  /// Whether the server has refused the credential.
  private var isRefused = false
  /// Whether the credential required a refresh as soon as a refresh returned it.
  private var isDueFromStart = false
  /// The running refresh; its mark differs from the state's if another credential has been set.
  private var running: (mark: Int, task: Task<Void, Never>?)?
  private var waiters: [Waiting] = []
  /// The start times of the refreshes in the window.
  private var starts: [Duration] = []

  init(credential: Credential?) { self.credential = credential }

  /// Returns the next step of a request before it is sent.
  ///
  /// - Parameters:
  ///   - requiresRefresh: the result of the credential's `requiresRefresh(at:)`. The caller calls it outside the lock,
  ///     because it is the program's code.
  ///   - seen: the mark of that credential.
  mutating func next(now: Duration, requiresRefresh: Bool, of seen: Int, _ window: RefreshWindow) -> Step {
    guard seen == mark else { return .overtaken }
    guard let credential else { return .missing }
    let isDue = isRefused || !isDueFromStart && requiresRefresh
    // A refresh of a replaced credential is waited for only if the next refresh must wait for it.
    if let running, running.mark == mark || isDue { return .wait(addWaiter()) }
    guard isDue else { return .apply(credential, mark: mark) }
    starts.removeAll { $0 <= now - window.interval.bounded }
    guard starts.count < window.maximumAttempts else { return .excessive }
    starts.append(now)
    running = (mark, nil)
    return .refresh(credential, mark: mark, addWaiter())
  }

  /// Decides whether a refused request is retried; the note contains the reason.
  mutating func refused(_ sent: Int) -> (RetryDecision, note: String) {
    guard sent == mark else {
      if let failure { return (.fail(failure), "the refresh of its credential has failed") }
      return (.retry, "the credential has been refreshed meanwhile")
    }
    isRefused = true
    return (.retry, "the credential is refreshed")
  }

  /// Stores the task of a refresh, for its cancellation; `true` if another credential has already been set.
  mutating func keep(_ task: Task<Void, Never>, of started: Int) -> Bool {
    guard running?.mark == started else { return false }
    running?.task = task
    return !wants(started)
  }

  /// Whether the result of a refresh is still wanted.
  func wants(_ started: Int) -> Bool { started == mark }

  /// Stores the result of a refresh; discards it if another credential has been set.
  ///
  /// - Parameter isDue: whether the new credential requires a refresh at once.
  mutating func finish(
    _ result: Result<Credential, LupineError>, _ started: Int, isDue: Bool
  ) -> (waiters: [Waiting], Result<Void, LupineError>) {
    running = nil
    guard wants(started) else { return (takeWaiters(), .success(())) }
    switch result {
    case .success(let new):
      isDueFromStart = isDue
      return (settle(new, nil), .success(()))
    case .failure(let error):
      return (settle(credential, error), .failure(error))
    }
  }

  /// Replaces the credential; returns the waiting requests and the refresh to cancel.
  mutating func replace(_ new: Credential?) -> (waiters: [Waiting], overtaken: Task<Void, Never>?) {
    isDueFromStart = false
    return (settle(new, nil), running?.task)
  }

  private mutating func settle(_ new: Credential?, _ error: LupineError?) -> [Waiting] {
    credential = new
    failure = error
    mark += 1
    isRefused = false
    return takeWaiters()
  }

  private mutating func takeWaiters() -> [Waiting] {
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
    guard window.maximumAttempts > 0 else {
      return LupineError(
        .excessiveRefresh,
        "The credential is refused or has expired, and the refresh window allows no refresh; log in again.")
    }
    return LupineError(
      .excessiveRefresh,
      "The credential was refreshed \(window.maximumAttempts) times within \(window.interval.milliseconds), and is refused "
        + "or has expired again; log in again.")
  }
}

/// Limits the rate of refreshes, in case a server refuses every credential.
public struct RefreshWindow: Sendable, Hashable {
  /// The length of the window.
  public var interval: Duration
  /// The maximum number of refreshes that begin in the window; 0 disables refreshes.
  public var maximumAttempts: Int

  /// Creates a window.
  ///
  /// Default: 5 refreshes in 30 seconds.
  public init(interval: Duration = .seconds(30), maximumAttempts: Int = 5) {
    self.interval = interval
    self.maximumAttempts = maximumAttempts
  }
}
