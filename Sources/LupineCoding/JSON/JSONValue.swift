/// JSON of unknown shape (RFC 8259).
///
/// Integers from `Int64.min` to `UInt64.max` are exact. Two numbers are equal when they mean the same number, however
/// they are kept: `.integer(1) == .number(1.0)`.
///
/// Encoding, decoding and `description` go 512 levels deep (Foundation's `JSONEncoder` goes 511); beyond that the first
/// two throw, as `encode(to:)` and `init(from:)` say. Comparing and hashing need no stack of their own. Letting go of a value that a program itself built tens
/// of thousands of levels deep overflows the stack, as with every nested Swift array; no response can contain one.
public enum JSONValue: Sendable {
  /// The literal `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// An integer that `Int64` holds.
  case integer(Int64)
  /// An integer above `Int64.max`.
  case unsignedInteger(UInt64)
  /// Any other number.
  case number(Double)
  /// A text.
  case string(String)
  /// Values in order.
  case array([JSONValue])
  /// Values by name; the order of the members is not kept.
  case object([String: JSONValue])

  /// Keeps an integer, exactly where 64 bits hold it and as the nearest `Double` otherwise.
  public init(_ integer: some BinaryInteger) {
    if let signed = Int64(exactly: integer) {
      self = .integer(signed)
    } else if let unsigned = UInt64(exactly: integer) {
      self = .unsignedInteger(unsigned)
    } else {
      self = .number(Double(integer))
    }
  }
}
