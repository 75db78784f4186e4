/// The work within one turn of the loop.
///
/// A connection with a fast peer continues in the next turn, so that others get time.
struct TurnShare {
  /// The number of bytes that may be sent and received in one turn.
  private static let maximum = 4 << 20
  /// The fixed cost of a call, in bytes.
  private static let costOfCall = 512
  /// The fixed cost of a part of a message, in bytes.
  private static let costOfMessage = 4096
  /// The cost of a byte of fields, compressed or decoded: fields are parsed byte by byte.
  private static let costOfFieldByte = 32

  private var work = 0
  /// Whether the loop is going to continue the work in its next turn.
  private var hasYielded = false

  /// Whether the share has been used.
  var isUsedUp: Bool { work >= Self.maximum }

  mutating func count(_ bytes: Int) { work += bytes + Self.costOfCall }

  /// Counts a part of a message, such as a chunk, a frame or a TLS record, whose processing costs time even if it is
  /// small.
  mutating func countMessage(_ count: Int = 1) { work += count * Self.costOfMessage }

  /// Counts bytes of fields.
  mutating func countFields(_ bytes: Int) { work += bytes * Self.costOfFieldByte }

  /// Begins the share of a turn, unless the work waits for the next turn.
  mutating func begin() { if !hasYielded { work = 0 } }

  /// Begins the share of the turn for which the work has waited.
  mutating func resume() {
    hasYielded = false
    work = 0
  }

  /// Makes the work wait for the next turn; returns false if it waits already.
  mutating func yield() -> Bool {
    if hasYielded { return false }
    hasYielded = true
    return true
  }
}

/// Continues in a later turn of the loop what has used its share of an earlier one.
protocol TurnTaker: AnyObject {
  func resumeAfterYield()
}
