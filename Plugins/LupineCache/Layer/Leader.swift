import LupineCore
import LupineSupport
import Synchronization

/// A request that is sent while other requests, the waiters, wait for its response.
///
/// If it is cancelled or fails, one of the waiters takes its place.
final class Leader: Sendable {
  /// Identifies a response by its URL, its user and its connection key.
  struct Name: Sendable, Hashable {
    let url: String
    let connection: String
    let credential: String

    // The URL and the user distinguish most names.
    func hash(into hasher: inout Hasher) {
      hasher.combine(url)
      hasher.combine(credential)
    }

    /// The name in one text, which is the same on other machines.
    var text: String { [url, connection, credential].joined(separator: "\n") }
  }

  /// A response that is being stored, as the waiters will find it.
  struct Entry: Sendable {
    let candidate: Candidate
    /// The invalidations of the URL before the request was sent.
    let mark: Invalidations.Mark
  }

  /// The outcome of the request.
  enum Outcome: Sendable {
    /// No response has arrived.
    case pending
    /// The response is being stored.
    case storing(Entry)
    /// The response is stored, or it has validated a stored one.
    case stored
    /// The response is not stored, or each request must validate it.
    case notShareable
    /// The request was cancelled or has failed, or its response has broken off or is outdated.
    case failed
  }

  private let state = Mutex(Outcome.pending)
  /// Set once the head of the response has been handled, or the request has failed.
  let hasHead = Signal()
  /// Set once the response is stored, or is known not to be.
  let isOver = Signal()

  var outcome: Outcome { state.withLock { $0 } }

  func record(_ outcome: Outcome) { state.withLock { $0 = outcome } }

  /// Records an outcome if none is recorded yet.
  func recordFirst(_ outcome: Outcome) {
    state.withLock { if case .pending = $0 { $0 = outcome } }
  }
}

extension Leader.Outcome {
  /// The outcome of a response at the end of its storage.
  ///
  /// - Parameter refusal: why it was not stored; `nil` if all of it or its beginning was.
  init(of writing: EntryWriting, _ refusal: StoringRefusal?) {
    if writing.isInterrupted || refusal != nil && (writing.isInvalidated || Task.isCancelled) {
      self = .failed
    } else {
      self = refusal == nil ? .stored : .notShareable
    }
  }
}

/// The requests that others wait for, by the names of their responses.
struct Leaders: Sendable {
  /// The role of a request among requests for the same response.
  enum Role: Sendable {
    /// It is sent, and others wait for it.
    case leads(Leader)
    /// It waits for the leader.
    case waits(Leader)
    /// It is sent, and no other request waits for it.
    case none
  }

  private var running: [Leader.Name: Leader] = [:]
  /// The names for which no request waits, because their last response was not shareable, or came too late.
  private var notShareable = RecentTable<Leader.Name, Bool>(limit: 1_000)

  var isEmpty: Bool { running.isEmpty }

  mutating func join(_ name: Leader.Name) -> Role {
    guard notShareable[name] == nil else { return .none }
    if let leader = running[name] { return .waits(leader) }
    let leader = Leader()
    running[name] = leader
    return .leads(leader)
  }

  /// Removes a leader.
  mutating func end(_ leader: Leader, _ name: Leader.Name) {
    guard running[name] === leader else { return }
    running[name] = nil
    if case .notShareable = leader.outcome { record(isShareable: false, name) }
  }

  /// Records whether requests wait for a response of this name.
  mutating func record(isShareable: Bool, _ name: Leader.Name) { notShareable[name] = isShareable ? nil : true }
}
