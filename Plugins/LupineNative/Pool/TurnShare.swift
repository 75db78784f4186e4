/// The work of a connection within one turn of the loop.
///
/// The connections that are ready share the work of the turn. One with a fast peer continues in the next turn, so that
/// others get time.
struct TurnShare {
  /// The work of a turn, as a number of bytes that are sent and received.
  static let maximum = 4 << 20
  /// The smallest share.
  private static let minimum = 16 << 10
  /// The fixed cost of a call, in bytes.
  private static let costOfCall = 512
  /// The fixed cost of a part of a message, in bytes.
  private static let costOfMessage = 4096
  /// The cost of a byte of fields, compressed or decoded: fields are parsed byte by byte.
  ///
  /// 64 KiB of fields use up a turn, and the head in which they end is read to its end.
  private static let costOfFieldByte = 64

  private var limit = maximum
  private var work = 0
  /// Whether the loop is going to continue the work in its next turn.
  private(set) var hasYielded = false

  /// Whether the share has been used.
  var isUsedUp: Bool { work >= limit }

  /// Returns the share of each of some connections.
  static func share(of connections: Int) -> Int { max(minimum, maximum / max(1, connections)) }

  mutating func count(_ bytes: Int) { work += bytes + Self.costOfCall }

  /// Counts a part of a message, such as a chunk, a frame or a TLS record, whose processing costs time even if it is
  /// small.
  mutating func countMessage(_ count: Int = 1) { work += count * Self.costOfMessage }

  /// Counts bytes of fields.
  mutating func countFields(_ bytes: Int) { work += bytes * Self.costOfFieldByte }

  /// Begins the share of a turn, unless the work waits for the next turn.
  mutating func begin(_ limit: Int) {
    if hasYielded { return }
    self.limit = limit
    work = 0
  }

  /// Begins the share of the turn for which the work has waited.
  mutating func resume(_ limit: Int) {
    hasYielded = false
    begin(limit)
  }

  /// Begins the same share again.
  mutating func begin() { begin(limit) }

  /// Makes the work wait for the next turn; returns false if it waits already.
  mutating func yield() -> Bool {
    if hasYielded { return false }
    hasYielded = true
    return true
  }
}

/// Has used its share of a turn, and is called again in the next one.
protocol TurnTaker: AnyObject {
  func resumeAfterYield()
}
