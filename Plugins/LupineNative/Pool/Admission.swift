import LupineCore
import LupineEventLoop
import Synchronization

/// Admits the exchanges of all loops of a transport within its limits; called on the loops' threads.
///
/// Of the exchanges that wait, the one with the highest priority is admitted first, and of those with equal priority the
/// one that entered first, whichever loops they belong to.
final class Admission: Sendable {
  /// The exchanges with one host.
  ///
  /// `@unchecked Sendable`: only the limiter reads and changes the queue, and it is called under the lock.
  struct Host: @unchecked Sendable {
    fileprivate let queue: HostQueue
  }

  private struct State {
    let limiter: ConnectionLimiter
    /// The exchanges that wait.
    var waiting: [UInt64: Ticket] = [:]

    /// Returns the exchanges that may start now, which no longer wait.
    mutating func takeAdmitted() -> [Ticket] {
      var admitted: [Ticket] = []
      while let id = limiter.next() {
        if let ticket = waiting.removeValue(forKey: id) { admitted.append(ticket) }
      }
      return admitted
    }
  }

  private let state: Mutex<State>

  init(perHost: Int, total: Int) {
    state = Mutex(State(limiter: ConnectionLimiter(perHost: perHost, total: total)))
  }

  /// The number of exchanges that wait.
  var waitingCount: Int { state.withLock { $0.limiter.waitingCount } }

  /// Adds an exchange, and returns its host.
  ///
  /// - Returns: with the host, the reason why the exchange waits; `nil` if it may start. A waiting exchange may start
  ///   when its ticket has posted `admitted`.
  func enter(_ submission: Submission) -> (host: Host, waitReason: String?) {
    state.withLock { state in
      let (ticket, request) = (submission.ticket, submission.request)
      let exchange = QueuedExchange(ticket.id, priority: request.priority, submission.context.connections)
      let host = state.limiter.host(of: request.url)
      guard !state.limiter.enter(exchange, at: host) else { return (Host(queue: host), nil) }
      state.waiting[ticket.id] = ticket
      return (Host(queue: host), state.limiter.reason(for: exchange, at: host))
    }
  }

  /// Removes an exchange that is over, whether it waited or not.
  func leave(_ exchange: UInt64, from host: Host) {
    change { state in
      if !state.waiting.isEmpty { state.waiting[exchange] = nil }
      state.limiter.leave(exchange, from: host.queue)
    }
  }

  /// Removes the limit for the exchanges with a host, which share connections.
  func lift(_ host: Host) { change { $0.limiter.lift(host.queue) } }

  private func change(_ change: @Sendable (inout State) -> Void) {
    let admitted = state.withLock { state in
      change(&state)
      return state.takeAdmitted()
    }
    for ticket in admitted { ticket.post(.admitted) }
  }
}
