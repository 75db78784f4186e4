import HeapModule
import LupineCore
import LupineSupport

/// The next deadlines of running requests.
///
/// A request is checked when its deadline has passed, and once after it has got another deadline. Each check takes
/// logarithmic time.
struct RequestDeadlines {
  private struct Entry: Comparable {
    let deadline: Duration
    let id: RequestID

    static func < (left: Entry, right: Entry) -> Bool {
      assert(StepCount.add())
      return (left.deadline, left.id) < (right.deadline, right.id)
    }
  }

  /// The entries of all requests.
  ///
  /// Those of requests that have ended or have got another deadline are removed when they
  /// are the earliest or outnumber the others.
  private var entries = Heap<Entry>()
  /// The deadline of each request that has an entry.
  private var current: [RequestID: Duration] = [:]
  /// The requests that have got a deadline since the last check; some of them may have ended.
  private var changed: [RequestID] = []

  /// Records that a request has got a deadline, which may be earlier than its present one.
  ///
  /// - Parameter running: the number of running requests.
  mutating func recordChange(of id: RequestID, running: Int, isRunning: (RequestID) -> Bool) {
    changed.append(id)
    guard changed.count > 2 * running + 64 else { return }
    assert(StepCount.add(changed.count))
    changed = Array(Set(changed.filter(isRunning)))
  }

  /// Returns the requests to check, in order, and forgets their deadlines.
  mutating func takeDue(_ now: Duration) -> [RequestID] {
    var due = Set(changed)
    changed = []
    while let first = entries.min, first.deadline <= now {
      entries.removeMin()
      if current[first.id] == first.deadline { due.insert(first.id) }
    }
    assert(StepCount.add(due.count))
    for id in due { current[id] = nil }
    return due.sorted()
  }

  /// Sets the next deadline of a request; `nil` means that it has none.
  mutating func set(_ deadline: Duration?, of id: RequestID) {
    guard let deadline else { return current[id] = nil }
    current[id] = deadline
    entries.insert(Entry(deadline: deadline, id: id))
    dropRemoved()
  }

  /// Forgets a request that has ended.
  mutating func remove(_ id: RequestID) { if !current.isEmpty { current[id] = nil } }

  /// The earliest deadline; `nil` without any.
  var earliest: Duration? {
    mutating get {
      dropRemoved()
      return entries.min?.deadline
    }
  }

  private mutating func dropRemoved() {
    while let first = entries.min, current[first.id] != first.deadline { entries.removeMin() }
    guard entries.count > 2 * current.count + 64 else { return }
    assert(StepCount.add(entries.count))
    entries = Heap(entries.unordered.filter { current[$0.id] == $0.deadline })
  }
}
