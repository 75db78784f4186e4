/// The connections of a transport at one moment, for gauges.
public struct ConnectionPoolSnapshot: Sendable, Hashable, CustomStringConvertible {
  /// Connections that are open, or being made.
  public var open: Int
  /// Those of them that no exchange uses.
  public var idle: Int
  /// Exchanges that wait for their turn, or for that of their host's name to be looked up.
  public var waiting: Int

  /// Counts of none.
  public init(open: Int = 0, idle: Int = 0, waiting: Int = 0) {
    self.open = open
    self.idle = idle
    self.waiting = waiting
  }

  /// The counts, on one line.
  public var description: String { "\(open) open, \(idle) idle, \(waiting) waiting" }
}
