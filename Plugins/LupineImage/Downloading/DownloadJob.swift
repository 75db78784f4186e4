import LupineCore
import LupineFoundation
import Synchronization

extension DownloadTable {
  /// A task that waits for a picture.
  struct Waiting {
    let filters: [ImageFilter]
    let priority: Priority
    let deliver: @Sendable (Result<Image, LupineError>) -> Void
    /// The names of the filters.
    let names: [String]

    init(
      filters: [ImageFilter], priority: Priority, deliver: @escaping @Sendable (Result<Image, LupineError>) -> Void
    ) {
      self.filters = filters
      self.priority = priority
      self.deliver = deliver
      names = filters.map(\.name)
    }
  }

  /// A downloaded file.
  struct File {
    let data: Data
    let contentType: String?
    let validator: String?
    /// Whether its pictures may be kept: it has a validator, and the response has no `no-store`.
    let isStorable: Bool
    /// Whether its pictures may be used for a while without a request: the response has no `no-cache` or `max-age=0`.
    var isReusable = true
  }

  /// The download and the decoding of a file, and those who wait for its pictures.
  struct Job {
    enum Stage {
      case queued
      case downloading
      case downloaded(File, DecodedImage?)
      case decoding(File, Abandonment)
    }

    let key: Key
    let request: OutgoingRequest
    var stage = Stage.queued
    /// Those who wait, by the names of their filters and then by their number.
    private(set) var waiting: [[String]: [UInt64: Waiting]] = [:]
    /// The number of waiters with each priority.
    private var counts: [Priority: Int] = [:]

    init(key: Key, request: OutgoingRequest) {
      self.key = key
      self.request = request
    }

    /// The highest priority of those who wait.
    var priority: Priority { Priority.allCases.last { counts[$0, default: 0] > 0 } ?? .low }

    mutating func add(_ waiter: UInt64, _ new: Waiting) {
      waiting[new.names, default: [:]][waiter] = new
      counts[new.priority, default: 0] += 1
    }

    mutating func remove(_ waiter: UInt64, names: [String]) {
      guard let removed = waiting[names]?.removeValue(forKey: waiter) else { return }
      counts[removed.priority, default: 0] -= 1
      if waiting[names]?.isEmpty == true { waiting[names] = nil }
    }

    /// Removes and returns those who wait for this list of filters.
    mutating func removeAll(names: [String]) -> [UInt64: Waiting] {
      let removed = waiting.removeValue(forKey: names) ?? [:]
      for each in removed.values { counts[each.priority, default: 0] -= 1 }
      return removed
    }
  }
}

/// Whether a decoding has lost its last waiter.
final class Abandonment: Sendable {
  private let state = Mutex(false)

  var isAbandoned: Bool { state.withLock { $0 } }

  func abandon() { state.withLock { $0 = true } }
}
