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
