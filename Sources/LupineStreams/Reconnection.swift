import LupineCore

/// When a stream of events connects again: later each time, while no event comes.
struct Reconnection: Sendable {
  /// The shortest wait, whatever the server asks for.
  static let floor = Duration.milliseconds(100)
  /// How far the wait grows; a server may ask for a longer one.
  static let cap = Duration.seconds(30)

  /// Why it does not connect again; `nil` where it does.
  let refusal: Refusal?
  /// The first wait where the server names none.
  let retry: Duration
  /// Reconnections in a row that may bring no event.
  let limit: Int?

  /// Reconnections since the last event.
  private var count = 0
  /// Why the last connection was lost; `nil` where the server ended it.
  private var loss: LupineError?

  /// Why a stream of events does not connect again, for monitors.
  enum Refusal: String, Sendable {
    case unwanted = "the stream of events is not to connect again"
    case notIdempotent = "the request is not idempotent"
    case sentOnce = "the body can be sent only once"

    /// What speaks against another connection; `nil` where nothing does.
    ///
    /// - Parameter reconnects: what the program wants; `nil` leaves it to the request.
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

  init(refusal: Refusal?, retry: Duration, limit: Int?) {
    self.refusal = refusal
    self.retry = retry
    self.limit = limit
  }

  /// Notes that an event came.
  mutating func delivered() { count = 0 }

  /// Notes that the connection is over, and why where it was lost.
  mutating func ended(_ loss: LupineError?) { self.loss = loss }

  /// Why the last connection is over.
  var reason: String { loss?.message ?? "The server ended the stream of events." }

  /// Between what the next wait is drawn, so that those whom a server left do not come back all at once.
  ///
  /// - Throws: where the limit is reached.
  mutating func nextWait(_ asked: Duration?) throws(LupineError) -> ClosedRange<Duration> {
    if let limit, count >= limit { throw loss ?? Self.fruitless(limit) }
    let shortest = max(asked ?? retry, Self.floor)
    let cap = max(shortest, Self.cap)
    // Nine doublings lead from the floor beyond the cap.
    var longest = shortest
    for _ in 0..<min(count, 9) { longest = min(longest * 2, cap) }
    count += 1
    return shortest...longest
  }

  private static func fruitless(_ limit: Int) -> LupineError {
    LupineError(
      .connectionLost,
      "The server ended the stream of events, and no event came in \(limit) reconnections, the limit that was given.")
  }
}
