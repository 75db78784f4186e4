import LupineSupport
import Synchronization

/// The time of an exchange's last activity, and the numbers of bytes that it has moved.
struct ExchangeActivity: ~Copyable, Sendable {
  let now: @Sendable () -> Duration
  private let begun: Duration
  private let lastTime: Atomic<Int64>
  private let bodyTime = Atomic<Int64>(0)
  private let sent = Atomic<Int64>(0)
  private let received = Atomic<Int64>(0)

  /// - Parameter now: the time since some fixed moment.
  init(now: @escaping @Sendable () -> Duration) {
    self.now = now
    begun = now()
    lastTime = Atomic(begun.nanoseconds)
  }

  /// The time of the last activity.
  var last: Duration { .nanoseconds(lastTime.load(ordering: .relaxed)) }

  func record(at time: Duration) { lastTime.store(time.nanoseconds, ordering: .relaxed) }

  /// The time when the response's body began.
  var bodyBegun: Duration { .nanoseconds(bodyTime.load(ordering: .relaxed)) }

  /// Records that the response's body begins at the time of the last activity.
  func beginBody() { bodyTime.store(lastTime.load(ordering: .relaxed), ordering: .relaxed) }

  /// The number of bytes of the request's body that have been sent.
  var bytesSent: Int64 { sent.load(ordering: .relaxed) }

  func addSent(_ count: Int) { sent.add(Int64(count), ordering: .relaxed) }

  /// The number of bytes of the response's body that have arrived.
  var bytesReceived: Int64 { received.load(ordering: .relaxed) }

  /// Adds received bytes; returns their number so far.
  @discardableResult
  func addReceived(_ count: Int) -> Int64 { received.add(Int64(count), ordering: .relaxed).newValue }

  /// The time since the exchange began, and the bytes of both bodies so far.
  var metrics: TransferMetrics {
    var metrics = TransferMetrics()
    metrics.total = now() - begun
    metrics.bytesSent = bytesSent
    metrics.bytesReceived = bytesReceived
    return metrics
  }
}
