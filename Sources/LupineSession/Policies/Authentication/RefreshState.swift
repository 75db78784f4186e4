import FoundationEssentials
import LupineCore
import LupineSupport

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
  /// Whether the credential said that it was due at once when a refresh brought it: nothing better is to be had.
  private var isDueFromStart = false
  /// The refresh that runs; its mark is not the state's where another credential has overtaken it.
  private var running: (mark: Int, task: Task<Void, Never>?)?
  private var waiters: [Waiting] = []
  /// When the refreshes of the window began.
  private var starts: [Duration] = []

  init(credential: Credential?) { self.credential = credential }

  /// Says what a request does that is to be sent.
  mutating func next(now: Duration, date: Date, _ window: RefreshWindow) -> Step {
    guard let credential else { return .missing }
    let isDue = isRefused || !isDueFromStart && credential.requiresRefresh(at: date)
    // One that has been overtaken is waited for only where it stands in the way of the next.
    if let running, running.mark == mark || isDue { return .wait(addWaiter()) }
    guard isDue else { return .apply(credential, mark: mark) }
    starts.removeAll { $0 <= now - window.interval }
    guard starts.count < window.maximumAttempts else { return .excessive }
    starts.append(now)
    running = (mark, nil)
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

  /// Keeps what runs a refresh, to cancel it; true where another credential has overtaken it already.
  mutating func keep(_ task: Task<Void, Never>, of started: Int) -> Bool {
    guard running?.mark == started else { return false }
    running?.task = task
    return !wants(started)
  }

  /// Whether the result of a refresh is still wanted.
  func wants(_ started: Int) -> Bool { started == mark }

  /// Takes the result of a refresh in; one that a new credential has overtaken is dropped.
  mutating func finish(
    _ result: Result<Credential, LupineError>, _ started: Int, date: Date
  ) -> (waiters: [Waiting], Result<Void, LupineError>) {
    running = nil
    guard wants(started) else { return (takeWaiters(), .success(())) }
    switch result {
    case .success(let new):
      isDueFromStart = new.requiresRefresh(at: date)
      return (settle(new, nil), .success(()))
    case .failure(let error):
      return (settle(credential, error), .failure(error))
    }
  }

  /// Puts another credential in the place of the one there is; returns who waits, and the refresh that is of no use now.
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

/// How often a credential may be refreshed, so that a server that refuses every one is not asked for ever.
public struct RefreshWindow: Sendable, Hashable {
  /// The time that is looked back on.
  public var interval: Duration
  /// The refreshes that may begin in it; 0 means that the credential is never refreshed.
  public var maximumAttempts: Int

  /// Sets a window.
  ///
  /// Default: 5 refreshes in 30 seconds.
  public init(interval: Duration = .seconds(30), maximumAttempts: Int = 5) {
    self.interval = interval
    self.maximumAttempts = maximumAttempts
  }
}
