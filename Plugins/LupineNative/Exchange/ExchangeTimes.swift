import LupineCore
import LupineEventLoop

/// The points in time of an exchange on the monotonic clock, from which its metrics are computed.
///
/// Each is a `now` of the loop. The loop reads its clock at the beginning of a turn, and at each step to a new connection.
struct ExchangeTimes {
  let entered: UInt64
  /// When the limits on connections admitted the exchange.
  var admitted: UInt64?
  var lookedUp: UInt64?
  /// When the connection was made; `nil` for a reused one.
  var connected: UInt64?
  /// When the last TLS handshake of the new connection was complete.
  var secured: UInt64?
  /// When the exchange began to use its connection.
  var connectionTaken: UInt64 = 0
  var requestSent: UInt64?
  var firstByte: UInt64?

  /// A shorter time is the way from the caller's thread to the loop, not a wait.
  private static let shortestWait: UInt64 = 1_000_000

  /// The time until the exchange was admitted; `nil` if it did not wait.
  var queued: Duration? { admitted.flatMap { $0 - entered >= Self.shortestWait ? since($0) : nil } }

  func since(_ moment: UInt64) -> Duration { .nanoseconds(Int64(moment - entered)) }
}
