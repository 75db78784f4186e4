/// The number of a transfer in the folder of its queue; it is never given to another transfer.
public struct TransferID: Sendable, Hashable, Codable, Comparable, CustomStringConvertible {
  /// The number.
  public let number: Int64

  /// Creates the identifier of a transfer from its number, as a program has stored it.
  public init(_ number: Int64) { self.number = number }

  /// The number.
  public var description: String { "\(number)" }

  /// Compares the numbers: a transfer that was added later has a greater one.
  public static func < (left: TransferID, right: TransferID) -> Bool { left.number < right.number }
}

/// The state of a transfer.
///
/// The queue writes a state to the disk before it reports it.
public enum TransferState: Int, Sendable, Hashable, Codable, CaseIterable {
  /// It waits for its turn.
  case waiting = 0
  /// It runs, or ran when the last process ended.
  case running = 1
  /// The program has paused it.
  case paused = 2
  /// It failed because there was no network, and waits for one.
  case waitingForNetwork = 3
  /// The session has no credential for it; it waits for `TransferQueue.credentialsChanged()` or `resume(_:)`.
  case waitingForCredential = 4
  /// It has ended well.
  case finished = 5
  /// It has failed; `TransferQueue.resume(_:)` tries it again.
  case failed = 6
  /// The program has cancelled it.
  case cancelled = 7

  /// Whether the transfer has ended; a failed one can still be resumed.
  public var isEnded: Bool {
    switch self {
    case .finished, .failed, .cancelled: true
    case .waiting, .running, .paused, .waitingForNetwork, .waitingForCredential: false
    }
  }
}

/// The priority of a transfer; those of a higher one start first.
public enum TransferPriority: Int, Sendable, Hashable, Codable, CaseIterable, Comparable {
  /// After all others.
  case low = 0
  /// In the order in which transfers were added.
  case normal = 1
  /// Before all others.
  case high = 2

  /// Compares priorities.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// A place among the transfers of a queue, which decides when a transfer starts.
///
/// Transfers of a higher priority come first. Within a priority, a new transfer comes after all others, and
/// `TransferQueue.move(_:to:)` changes the order.
public enum TransferPlace: Sendable, Hashable {
  /// Before all others of the priority.
  case front(of: TransferPriority)
  /// After all others that the priority has now.
  case back(of: TransferPriority)
  /// Directly before another transfer, with that one's priority.
  case before(TransferID)
  /// Directly after another transfer, with that one's priority.
  case after(TransferID)
}
