import LupineCore

/// An exchange that waits its turn.
struct Waiter {
  let id: UInt64
  let priority: OutgoingRequest.Priority
  /// The most that may be under way with its host when it begins; nil leaves that to the transport.
  let perHost: Int?
  /// The most that may be under way in all.
  let total: Int?

  init(_ id: UInt64, priority: OutgoingRequest.Priority = .normal, _ options: ConnectionOptions = ConnectionOptions()) {
    self.id = id
    self.priority = priority
    perHost = options.perHost
    total = options.total
  }

  init(_ submission: Submission) {
    self.init(submission.id, priority: submission.options.priority, submission.context.connections)
  }

  /// Whether it goes before another; the numbers of exchanges grow with time.
  func precedes(_ other: Waiter) -> Bool {
    priority == other.priority ? id < other.id : priority > other.priority
  }
}
