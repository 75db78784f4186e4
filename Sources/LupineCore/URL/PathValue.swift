public import LupineFoundation

/// A value for the path of a URL, such as a string, a number or an identifier.
///
/// A `RawRepresentable` type needs no more than the conformance. Any other type has one property:
///
/// ```swift
/// struct UserID: PathValue {
///   var number: Int
///   var pathText: String { "u\(number)" }
/// }
/// ```
public protocol PathValue: Sendable {
  /// The value as text, which is escaped when it becomes part of a path.
  var pathText: String { get }
}

extension PathValue where Self: LosslessStringConvertible {
  /// The description, from which the type can create the value again.
  public var pathText: String { description }
}

extension PathValue where Self: RawRepresentable, RawValue: PathValue {
  /// The text of the raw value.
  public var pathText: String { rawValue.pathText }
}

extension String: PathValue {}
extension Substring: PathValue {}
extension Bool: PathValue {}
extension Double: PathValue {}
extension Int: PathValue {}
extension Int8: PathValue {}
extension Int16: PathValue {}
extension Int32: PathValue {}
extension Int64: PathValue {}
extension UInt: PathValue {}
extension UInt8: PathValue {}
extension UInt16: PathValue {}
extension UInt32: PathValue {}
extension UInt64: PathValue {}

extension UUID: PathValue {
  /// The identifier in upper case, as its `uuidString` is.
  public var pathText: String { uuidString }
}
