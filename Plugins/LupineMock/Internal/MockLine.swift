import LupineCore
import LupineSupport

/// The running and waiting exchanges of sessions that limit the number of concurrent exchanges.
struct MockLine {
  /// The wait of an exchange, and its reason.
  struct Wait: Sendable {
    let turn = Waiter<Void>()
    let reason: String
  }

  private let line = ConnectionLimiter(perHost: .max, total: .max)
  private var waits: [UInt64: Wait] = [:]
  private var count: UInt64 = 0

  /// Adds an exchange and returns its number; the wait is `nil` if the exchange may begin.
  mutating func enter(_ request: OutgoingRequest, _ options: ConnectionOptions) -> (id: UInt64, wait: Wait?) {
    count += 1
    let host = line.host(of: request.url)
    let exchange = QueuedExchange(count, priority: request.options.priority, options)
    guard !line.enter(exchange, at: host) else { return (count, nil) }
    let wait = Wait(reason: line.reason(for: exchange, at: host))
    waits[count] = wait
    return (count, wait)
  }

  /// Removes a running or waiting exchange; returns the waiters that may begin now.
  mutating func leave(_ id: UInt64, _ url: HTTPURL) -> [Waiter<Void>] {
    waits[id] = nil
    let host = line.host(of: url)
    line.leave(id, from: host)
    var turns: [Waiter<Void>] = []
    while let next = line.next() {
      if let wait = waits.removeValue(forKey: next) { turns.append(wait.turn) }
    }
    return turns
  }
}
