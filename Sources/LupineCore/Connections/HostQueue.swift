/// The exchanges with one scheme, host and port: how many are under way, and which wait; of one priority the one that
/// came first goes first.
public final class HostQueue {
  /// Those of one priority that wait.
  private struct Rank {
    var waiters: [QueuedExchange] = []
    var first = 0

    var next: QueuedExchange? { first < waiters.count ? waiters[first] : nil }
  }

  var running = 0
  /// Whether the host speaks HTTP/2, where one connection carries many exchanges, so that none has to wait.
  var isLifted = false
  private var waitingCount = 0
  private var ranks = OutgoingRequest.Priority.allCases.map { _ in Rank() }

  var isIdle: Bool { running == 0 && next == nil }
  var next: QueuedExchange? { waitingCount == 0 ? nil : ranks.last { $0.next != nil }?.next }

  func append(_ waiter: QueuedExchange) {
    waitingCount += 1
    ranks[waiter.priority.rawValue].waiters.append(waiter)
  }

  func removeNext() {
    guard let index = ranks.lastIndex(where: { $0.next != nil }) else { return }
    waitingCount -= 1
    ranks[index].first += 1
    guard ranks[index].next == nil || ranks[index].first > 1_000 else { return }
    ranks[index].waiters.removeFirst(ranks[index].first)
    ranks[index].first = 0
  }

  /// Takes an exchange out of the middle; false where it does not wait.
  func remove(_ id: UInt64) -> Bool {
    if waitingCount == 0 { return false }
    for rank in ranks.indices where ranks[rank].next != nil {
      guard let index = ranks[rank].waiters[ranks[rank].first...].firstIndex(where: { $0.id == id }) else { continue }
      ranks[rank].waiters.remove(at: index)
      waitingCount -= 1
      return true
    }
    return false
  }
}
