/// Detects a peer that sends frames without end that are not part of a response.
///
/// Each received frame costs units. Content and heads in both directions return more than their frames cost, and time
/// returns some. A peer that has used all units floods the connection: it sends empty or unknown frames, PING, SETTINGS,
/// PRIORITY, WINDOW_UPDATE, RST_STREAM, or fields of streams that have no exchange.
struct FloodMeter {
  /// The number of units that a peer has at most.
  private static let capacity = 20_000
  /// The number of units that a second returns.
  private static let unitsPerSecond: UInt64 = 1_000
  private static let nanosecondsPerUnit: UInt64 = 1_000_000_000 / unitsPerSecond

  private var units = capacity
  /// The time up to which units have been returned.
  private var time: UInt64?

  /// Whether the peer has used all units.
  var isUsedUp: Bool { units < 0 }

  /// Returns the units of the time that has passed.
  mutating func advance(to now: UInt64) {
    guard let last = time, now > last else { return time = max(now, time ?? 0) }
    let count = (now - last) / Self.nanosecondsPerUnit
    time = last + count * Self.nanosecondsPerUnit
    units = min(Self.capacity, units + Int(clamping: min(count, UInt64(Self.capacity))))
  }

  /// Charges a frame.
  ///
  /// - Parameter fieldBytes: the number of bytes of compressed fields in the frame, each of which may stand for a field.
  mutating func charge(fieldBytes: Int = 0) { units -= 1 + fieldBytes / 64 }

  /// Returns units for a head or trailers that belong to a response.
  mutating func returnFields(bytes: Int) { credit(32 + bytes / 64) }

  /// Returns units for content in a received frame.
  mutating func returnContent(bytes: Int) { credit(1 + bytes / 256) }

  /// Returns units for a sent frame, which the peer may answer with window updates.
  mutating func returnSentFrame() { credit(3) }

  private mutating func credit(_ count: Int) { units = min(Self.capacity, units + count) }
}
