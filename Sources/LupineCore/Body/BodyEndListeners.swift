/// The observers and waiters of the end of a body.
///
/// The end is not visible to waiters until all observers have received it.
struct BodyEndListeners {
  typealias End = BodyChannelState.End
  typealias Observer = @Sendable (End) -> Void
  typealias Waiter = UnsafeContinuation<End, Never>

  /// The end, and those who receive it: first the observers, then the waiters.
  struct Notification {
    let end: End
    let observers: [Observer]
    let waiters: [Waiter]
  }

  private var observers: [Observer] = []
  private var waiters: [Waiter] = []
  /// Whether observers are receiving the end.
  private(set) var isNotifying = false

  mutating func add(_ observer: @escaping Observer) { observers.append(observer) }

  mutating func add(_ waiter: Waiter) { waiters.append(waiter) }

  /// Whether listeners wait for the end.
  var mustNotify: Bool { !isNotifying && !(observers.isEmpty && waiters.isEmpty) }

  /// Removes and returns the listeners; if observers are among them, a call of `observersReturned()` must follow.
  mutating func take(_ end: End) -> Notification {
    let notification = Notification(end: end, observers: observers, waiters: waiters)
    isNotifying = !observers.isEmpty
    (observers, waiters) = ([], [])
    return notification
  }

  /// Records that the observers have received the end.
  mutating func observersReturned() { isNotifying = false }
}
