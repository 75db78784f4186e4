import LupineEventLoop
import Synchronization

/// The number of connections that the loops of a transport have together.
///
/// A loop that exceeds the limit makes another one close an idle connection, which that loop does in its next turn. Until
/// then the transport may have one connection for each loop more than the limit.
final class ConnectionTotal: Sendable {
  private let limit: Int
  private let count = Atomic<Int>(0)
  /// The running loops.
  private let threads = Mutex<[LoopThread]>([])

  init(limit: Int) { self.limit = max(1, limit) }

  /// Whether there is no room for another connection.
  var isReached: Bool { count.load(ordering: .relaxed) >= limit }

  /// Whether there are more connections than the limit allows.
  var isExceeded: Bool { count.load(ordering: .relaxed) > limit }

  func add() { count.add(1, ordering: .relaxed) }

  func subtract() { count.subtract(1, ordering: .relaxed) }

  func loopBegan(_ thread: LoopThread) { threads.withLock { $0.append(thread) } }

  func loopEnded(_ thread: LoopThread) { threads.withLock { $0.removeAll { $0 === thread } } }

  /// Asks the loop that follows this one to close idle connections, and with it the ones that follow, until there is
  /// room.
  ///
  /// - Parameter others: the number of loops that are still to be asked; `nil` means all of them.
  func requestRoom(besides thread: LoopThread, others: Int? = nil) {
    ask(besides: thread, others) { .closeIdle(others: $0) }
  }

  /// Asks the loop that follows this one to close an idle connection for an exchange that needs its descriptor, and with
  /// it the ones that follow, until one has an idle connection.
  ///
  /// - Parameter others: the number of loops that are still to be asked; `nil` means all of them.
  /// - Returns: false, without effect, if no loop is to be asked.
  func requestDescriptor(for ticket: Ticket, besides thread: LoopThread, others: Int? = nil) -> Bool {
    ask(besides: thread, others) { .freeDescriptor(for: ticket, others: $0) }
  }

  /// Posts the command, which gets the number of loops that are to be asked after it, to the loop that follows this one.
  @discardableResult
  private func ask(besides thread: LoopThread, _ others: Int?, _ command: (Int) -> LoopCommand) -> Bool {
    let (next, count) = threads.withLock { threads -> (LoopThread?, Int) in
      guard let index = threads.firstIndex(where: { $0 === thread }) else { return (nil, 0) }
      return (threads[(index + 1) % threads.count], others ?? threads.count - 1)
    }
    guard count > 0, let next else { return false }
    return next.post(command(count - 1))
  }
}
