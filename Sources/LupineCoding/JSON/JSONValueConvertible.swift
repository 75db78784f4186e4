public import LupineFoundation

/// A type that converts to and from `JSONValue`: strings, booleans, numbers, arrays, dictionaries and others.
public protocol JSONValueConvertible {
  /// Creates a value from a JSON value; `nil` if the JSON value has another type or does not fit.
  init?(jsonValue: JSONValue)

  /// The value as JSON.
  var jsonValue: JSONValue { get }
}

extension JSONValue: JSONValueConvertible {
  /// Creates the same value.
  public init?(jsonValue: JSONValue) { self = jsonValue }

  /// The value itself.
  public var jsonValue: JSONValue { self }
}

extension String: JSONValueConvertible {
  /// Creates a string from a JSON string; `nil` for any other JSON value.
  public init?(jsonValue: JSONValue) {
    guard let text = jsonValue.string else { return nil }
    self = text
  }

  /// The string as JSON.
  public var jsonValue: JSONValue { .string(self) }
}

extension Bool: JSONValueConvertible {
  /// Creates a boolean from a JSON boolean; `nil` for any other JSON value.
  public init?(jsonValue: JSONValue) {
    guard let value = jsonValue.bool else { return nil }
    self = value
  }

  /// The boolean as JSON.
  public var jsonValue: JSONValue { .bool(self) }
}

extension Double: JSONValueConvertible {
  /// Creates a number from a JSON number, rounded if necessary; `nil` for any other JSON value.
  public init?(jsonValue: JSONValue) {
    guard let number = jsonValue.double else { return nil }
    self = number
  }

  /// The number as JSON.
  public var jsonValue: JSONValue { .number(self) }
}

extension Float: JSONValueConvertible {
  /// Creates a number from a JSON number, rounded if necessary; `nil` for any other JSON value.
  public init?(jsonValue: JSONValue) {
    guard let number = jsonValue.double else { return nil }
    self = Float(number)
  }

  /// The number as JSON, with the shortest decimal digits that give the same `Float`.
  public var jsonValue: JSONValue { .number(Double(description) ?? Double(self)) }
}

extension JSONValueConvertible where Self: BinaryInteger {
  /// Creates an integer from a JSON number; `nil` if it has a fraction or does not fit, and for any other JSON value.
  public init?(jsonValue: JSONValue) {
    switch jsonValue {
    case .integer(let value): self.init(exactly: value)
    case .unsignedInteger(let value): self.init(exactly: value)
    case .number(let value): self.init(exactly: value)
    default: return nil
    }
  }

  /// The integer as JSON.
  public var jsonValue: JSONValue { JSONValue(self) }
}

extension Int: JSONValueConvertible {}
extension Int8: JSONValueConvertible {}
extension Int16: JSONValueConvertible {}
extension Int32: JSONValueConvertible {}
extension Int64: JSONValueConvertible {}
extension UInt: JSONValueConvertible {}
extension UInt8: JSONValueConvertible {}
extension UInt16: JSONValueConvertible {}
extension UInt32: JSONValueConvertible {}
extension UInt64: JSONValueConvertible {}

extension Array: JSONValueConvertible where Element: JSONValueConvertible {
  /// Creates an array from a JSON array; `nil` if an element has another type, and for any other JSON value.
  public init?(jsonValue: JSONValue) {
    guard let elements = jsonValue.array else { return nil }
    self = []
    for element in elements {
      guard let element = Element(jsonValue: element) else { return nil }
      append(element)
    }
  }

  /// The array as JSON.
  public var jsonValue: JSONValue { .array(map(\.jsonValue)) }
}

extension Dictionary: JSONValueConvertible where Key == String, Value: JSONValueConvertible {
  /// Creates a dictionary from a JSON object; `nil` if a value has another type, and for any other JSON value.
  public init?(jsonValue: JSONValue) {
    guard let members = jsonValue.object else { return nil }
    self = [:]
    for (name, member) in members {
      guard let value = Value(jsonValue: member) else { return nil }
      self[name] = value
    }
  }

  /// The dictionary as JSON.
  public var jsonValue: JSONValue { .object(mapValues(\.jsonValue)) }
}

extension Optional: JSONValueConvertible where Wrapped: JSONValueConvertible {
  /// Creates `nil` from `null`, otherwise a value; fails if the JSON value has another type.
  public init?(jsonValue: JSONValue) {
    if case .null = jsonValue {
      self = .none
    } else {
      guard let value = Wrapped(jsonValue: jsonValue) else { return nil }
      self = .some(value)
    }
  }

  /// The value as JSON; `nil` is `null`.
  public var jsonValue: JSONValue { self?.jsonValue ?? .null }
}

extension UUID: JSONValueConvertible {
  /// Creates an identifier from a JSON string in the form of RFC 9562 section 4; `nil` for any other JSON value.
  public init?(jsonValue: JSONValue) {
    guard let text = jsonValue.string else { return nil }
    self.init(uuidString: text)
  }

  /// The identifier as a JSON string in upper case, as its `Encodable` conformance encodes it.
  public var jsonValue: JSONValue { .string(uuidString) }
}
