/// The progress of a transfer.
public struct TransferProgress: Sendable, Hashable {
  /// The bytes of the body transferred so far, including those before a resumed download.
  public var completed: Int64
  /// The total number of bytes; `nil` if unknown.
  public var total: Int64?
  /// Bytes per second since the start of the current exchange, on the session's clock; initially 0.
  public var throughput: Double

  /// Creates a progress value.
  public init(completed: Int64, total: Int64?, throughput: Double = 0) {
    self.completed = completed
    self.total = total
    self.throughput = throughput
  }

  /// The completed fraction, from 0 to 1; 0 if the total is unknown.
  public var fractionCompleted: Double {
    guard let total else { return 0 }
    return total > 0 ? min(1, Double(completed) / Double(total)) : 1
  }
}

extension TransferProgress: CustomStringConvertible {
  /// The number of bytes, and the percentage if the total is known.
  public var description: String {
    guard let total else { return "\(completed) bytes" }
    return "\(completed) of \(total) bytes (\(Int(fractionCompleted * 100)) %)"
  }
}
