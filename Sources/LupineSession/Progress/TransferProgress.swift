/// How far a transfer has come.
public struct TransferProgress: Sendable, Hashable {
  /// Bytes of the body that have gone over the wire; on a resumed download those before it as well.
  public var completed: Int64
  /// Bytes in all; `nil` where nobody knows.
  public var total: Int64?
  /// Bytes a second since the current exchange began, on the session's clock; 0 at its first moment.
  public var throughput: Double

  /// Joins the figures.
  public init(completed: Int64, total: Int64?, throughput: Double = 0) {
    self.completed = completed
    self.total = total
    self.throughput = throughput
  }

  /// The part that is done, from 0 to 1; 0 where the total is not known.
  public var fractionCompleted: Double {
    guard let total else { return 0 }
    return total > 0 ? min(1, Double(completed) / Double(total)) : 1
  }
}

extension TransferProgress: CustomStringConvertible {
  /// The bytes, and the part where the total is known.
  public var description: String {
    guard let total else { return "\(completed) bytes" }
    return "\(completed) of \(total) bytes (\(Int(fractionCompleted * 100)) %)"
  }
}
