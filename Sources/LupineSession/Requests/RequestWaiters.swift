/// The tasks that wait for a request, and the code of the program that runs for it.
struct RequestWaiters {
  typealias Follower = UnsafeContinuation<RequestOutcome, Never>
  typealias Gate = UnsafeContinuation<Void, Never>

  /// The tasks that wait for the outcome.
  var followers: [Follower] = []
  /// The tasks that wait until the request is resumed.
  var gates: [Gate] = []
  /// The tasks that wait until the body is handed over.
  var headWaiters: [Gate] = []
  /// The closures that cancel running code of the program; the innermost is last.
  var works: [@Sendable () -> Void] = []

  /// Removes what ends with the request; a task at a gate still waits until it is resumed.
  mutating func end() {
    followers = []
    headWaiters = []
    works = []
  }
}
