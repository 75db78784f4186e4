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
