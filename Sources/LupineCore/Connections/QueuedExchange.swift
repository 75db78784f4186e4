/// An exchange that waits its turn.
public struct QueuedExchange {
  let id: UInt64
  let priority: OutgoingRequest.Priority
  /// The most that may be under way with its host when it begins; nil leaves that to the transport.
  let perHost: Int?
  /// The most that may be under way in all.
  let total: Int?

  /// Describes an exchange that waits for a connection.
  public init(
    _ id: UInt64, priority: OutgoingRequest.Priority = .normal, _ options: ConnectionOptions = ConnectionOptions()
  ) {
    self.id = id
    self.priority = priority
    perHost = options.perHost
    total = options.total
  }

  /// Whether it goes before another; the numbers of exchanges grow with time.
  func precedes(_ other: QueuedExchange) -> Bool {
    priority == other.priority ? id < other.id : priority > other.priority
  }
}
