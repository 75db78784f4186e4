import LupineCore
import LupineSupport

/// Decides when an event stream reconnects; the waits grow while no event arrives.
struct Reconnection: Sendable {
  /// The minimum wait, even if the server asks for a shorter one.
  static let floor = Duration.milliseconds(100)
  /// The maximum of the growing wait; a server may ask for a longer one.
  static let cap = Duration.seconds(30)

  /// The first wait if the server sends none.
  let retry: Duration
  /// The maximum number of consecutive reconnections without an event; `nil` means no limit.
  let limit: Int?

  /// Reconnections since the last event.
  private var count = 0
  /// Why the last connection was lost; `nil` if the server ended the response.
  private var loss: LupineError?

  /// Why an event stream does not reconnect, for monitors.
  enum Refusal: String, Sendable {
    case unwanted = "the program turned reconnections off"
    case notIdempotent = "the request is not idempotent"
    case sentOnce = "the body can be sent only once"

    /// Returns the reason against a reconnection; `nil` if there is none.
    ///
    /// - Parameter reconnects: the program's choice; `nil` means that the request decides.
    init?(_ request: OutgoingRequest?, reconnects: Bool?) {
      if let reconnects {
        guard !reconnects else { return nil }
        self = .unwanted
      } else {
        guard let request else { return nil }
        if !request.isIdempotent {
          self = .notIdempotent
        } else if !request.body.isReplayable {
          self = .sentOnce
        } else {
          return nil
        }
      }
    }
  }

  init(retry: Duration, limit: Int?) {
    self.retry = retry.bounded
    self.limit = limit
  }

  /// Records that an event arrived.
  mutating func delivered() { count = 0 }

  /// Records that the connection ended, with the error if it was lost.
  mutating func ended(_ loss: LupineError?) { self.loss = loss }

  /// Why the last connection ended.
  var reason: String { loss?.message ?? "The server ended the stream of events." }

  /// Returns the range from which the next wait is drawn, so that many clients do not reconnect at the same moment.
  ///
  /// - Throws: `LupineError` if the limit is reached.
  mutating func nextWait(_ asked: Duration?) throws(LupineError) -> ClosedRange<Duration> {
    if let limit, count >= limit { throw loss ?? Self.fruitless(limit) }
    let shortest = max(asked ?? retry, Self.floor)
    let cap = max(shortest, Self.cap)
    // Nine doublings of `floor` exceed `cap`.
    var longest = shortest
    for _ in 0..<min(count, 9) { longest = min(longest * 2, cap) }
    count += 1
    return shortest...longest
  }

  private static func fruitless(_ limit: Int) -> LupineError {
    LupineError(
      .connectionLost,
      "The server ended the stream of events. The limit of \(limit) reconnections without an event is reached.")
  }
}
