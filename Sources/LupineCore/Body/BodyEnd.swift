public import HTTPTypes
public import LupineFoundation

/// The end of a response's body without an error.
public struct BodyEnd: Sendable {
  /// The data of a `collect` sink; empty for other sinks.
  public var data: Data
  /// The number of bytes that reached the sink's destination, after decoding.
  ///
  /// For a body that was too long and is not needed, it is the number of received bytes.
  public var byteCount: Int64
  /// The trailers, if there were any.
  public var trailers: HTTPFields?
  /// The metrics of the exchange.
  public var metrics: TransferMetrics
  /// The first bytes of a body that exceeded a limit and was not needed, for the error of a refused response.
  var excerpt: Data?

  /// Creates an end.
  ///
  /// Default: no data, the byte count of the data, no trailers, empty metrics.
  public init(
    data: Data = Data(), byteCount: Int64? = nil, trailers: HTTPFields? = nil,
    metrics: TransferMetrics = TransferMetrics()
  ) {
    self.data = data
    self.byteCount = byteCount ?? Int64(data.count)
    self.trailers = trailers
    self.metrics = metrics
  }
}

/// The observers and waiters of the end of a body.
///
/// The end is not visible to waiters until all observers have received it.
struct BodyEndListeners {
  typealias End = Result<BodyEnd, LupineError>
  typealias Observer = @Sendable (End) -> Void
  typealias Waiter = UnsafeContinuation<End, Never>

  /// The end, and those who receive it: first the observers, then the waiters.
  struct Notification {
    let end: End
    let observer: Observer?
    let waiters: [Waiter]
  }

  /// Calls the observers in the order in which they were added; `nil` without one.
  private var observer: Observer?
  private var waiters: [Waiter] = []
  /// Whether observers are receiving the end.
  private(set) var isNotifying = false

  mutating func add(_ next: @escaping Observer) {
    guard let former = observer else { return observer = next }
    observer = { end in
      former(end)
      next(end)
    }
  }

  mutating func add(_ waiter: Waiter) { waiters.append(waiter) }

  /// Whether listeners wait for the end.
  var mustNotify: Bool { !isNotifying && !(observer == nil && waiters.isEmpty) }

  /// Removes and returns the listeners; if an observer is among them, a call of `observersReturned()` must follow.
  mutating func take(_ end: End) -> Notification {
    let notification = Notification(end: end, observer: observer.take(), waiters: waiters)
    isNotifying = notification.observer != nil
    if !waiters.isEmpty { waiters = [] }
    return notification
  }

  /// Records that the observers have received the end.
  mutating func observersReturned() { isNotifying = false }
}
