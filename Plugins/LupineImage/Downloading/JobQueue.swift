import LupineCore
import LupineSupport

/// The jobs that wait for their turn, by priority and then by the order in which they got that priority.
struct JobQueue {
  typealias Priority = OutgoingRequest.Priority

  private var queues: [Priority: RemovableQueue<UInt64>] = [:]
  private var places: [UInt64: (priority: Priority, place: RemovableQueue<UInt64>.Place)] = [:]

  /// Adds a job, or moves a waiting one whose priority changes.
  mutating func put(_ job: UInt64, _ priority: Priority) {
    if places[job]?.priority == priority { return }
    remove(job)
    places[job] = (priority, queues[priority, default: RemovableQueue()].append(job))
  }

  mutating func remove(_ job: UInt64) {
    guard let (priority, place) = places.removeValue(forKey: job) else { return }
    queues[priority]?.remove(place)
  }

  /// Removes and returns the next job with the highest priority.
  mutating func next(_ order: ImageDownloader.Order) -> UInt64? {
    for priority in Priority.allCases.sorted(by: >) {
      let job = order == .firstInFirstOut ? queues[priority]?.popFirst() : queues[priority]?.popLast()
      if let job {
        places[job] = nil
        return job
      }
    }
    return nil
  }
}
