public import LupineFoundation

/// A value that may stand at any depth of a literal of parameters, beside literals:
/// `["title": title, "assignee": ["login": login, "id": 1]]`.
///
/// Strings, booleans, numbers, dates, data, URLs, UUIDs, `JSONValue`, `Parameters` and optionals of them are such values.
/// An `Encodable` type of your own needs one line, `extension Filter: ParameterValue {}`.
///
/// Arrays and dictionaries are such values where they are written as literals. Write `.parameterValue` behind an array or
/// a dictionary in a variable: `["filter": ["tags": tags.parameterValue, "page": page]]`. That is not needed if only the
/// first level has values of different types: `["labels": labels, "user": user, "page": page]`.
public protocol ParameterValue: Sendable {
  /// Encodes the value; it may be called concurrently.
  ///
  /// An `Encodable` type has an implementation that encodes the value with the strategies of the encoder.
  ///
  /// - Throws: the error of the container.
  func encodeParameter(into container: inout any SingleValueEncodingContainer) throws
}

extension ParameterValue where Self: Encodable {
  /// Encodes the value with the strategies of the encoder, such as those for dates and data.
  public func encodeParameter(into container: inout any SingleValueEncodingContainer) throws {
    // Not `encode(to:)`, which would bypass the strategies.
    try container.encode(self)
  }
}

extension String: ParameterValue {}
extension Substring: ParameterValue {
  /// Encodes the characters as a string.
  public func encodeParameter(into container: inout any SingleValueEncodingContainer) throws {
    try container.encode(String(self))
  }
}
extension Bool: ParameterValue {}
extension Double: ParameterValue {}
extension Float: ParameterValue {}
extension Int: ParameterValue {}
extension Int8: ParameterValue {}
extension Int16: ParameterValue {}
extension Int32: ParameterValue {}
extension Int64: ParameterValue {}
extension UInt: ParameterValue {}
extension UInt8: ParameterValue {}
extension UInt16: ParameterValue {}
extension UInt32: ParameterValue {}
extension UInt64: ParameterValue {}
extension Decimal: ParameterValue {}
extension Date: ParameterValue {}
extension Data: ParameterValue {}
extension URL: ParameterValue {}
extension UUID: ParameterValue {}
extension JSONValue: ParameterValue {}
extension Parameters: ParameterValue {}

extension Optional: ParameterValue where Wrapped: ParameterValue {
  /// Encodes the value, or `null` for `nil`.
  public func encodeParameter(into container: inout any SingleValueEncodingContainer) throws {
    if let self { try self.encodeParameter(into: &container) } else { try container.encodeNil() }
  }
}

// `Element` is one fixed type here, and `Value` below, because the compiler then infers the type of a nested literal
// whose values have different types. It does not with the condition `Element: ParameterValue`.
extension Array: ParameterValue where Element == (any ParameterValue)? {
  /// Encodes the elements as an array; `nil` becomes `null`.
  public func encodeParameter(into container: inout any SingleValueEncodingContainer) throws {
    try container.encode(map(NestedParameter.init))
  }
}

extension Dictionary: ParameterValue where Key == String, Value == (any ParameterValue)? {
  /// Encodes the values by name; `nil` becomes `null`.
  public func encodeParameter(into container: inout any SingleValueEncodingContainer) throws {
    // Encoded as a dictionary, because a key strategy does not change the names of a dictionary.
    try container.encode(mapValues(NestedParameter.init))
  }
}

extension Array where Element: ParameterValue {
  /// The array as one value of parameters, for an array in a variable.
  public var parameterValue: any ParameterValue { map { $0 as (any ParameterValue)? } }
}

extension Dictionary where Key == String, Value: ParameterValue {
  /// The dictionary as one value of parameters, for a dictionary in a variable.
  public var parameterValue: any ParameterValue { mapValues { $0 as (any ParameterValue)? } }
}

/// Encodes a value of parameters.
struct NestedParameter: Encodable, Sendable {
  private let value: any ParameterValue

  init(_ value: some ParameterValue) { self.value = value }

  init(_ value: (any ParameterValue)?) { self.value = value ?? JSONValue.null }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try value.encodeParameter(into: &container)
  }
}
