extension JSONValue {
  /// Whether this is `null`.
  public var isNull: Bool {
    if case .null = self { true } else { false }
  }

  /// The boolean; `nil` for anything else.
  ///
  /// Numbers are not booleans.
  public var bool: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  /// The number as an `Int`; `nil` for anything else, a fraction and what does not fit included.
  public var int: Int? {
    switch self {
    case .integer(let value): Int(exactly: value)
    case .number(let value): Int(exactly: value)
    default: nil
    }
  }

  /// The number as a `UInt64`; `nil` for anything else, a fraction and what does not fit included.
  public var unsigned: UInt64? {
    switch self {
    case .integer(let value): UInt64(exactly: value)
    case .unsignedInteger(let value): value
    case .number(let value): UInt64(exactly: value)
    default: nil
    }
  }

  /// The number as a `Double`, rounded where an integer has more digits; `nil` for anything else.
  public var double: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .unsignedInteger(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }

  /// The text; `nil` for anything else.
  public var string: String? {
    if case .string(let value) = self { value } else { nil }
  }

  /// The array; `nil` for anything else.
  public var array: [JSONValue]? {
    if case .array(let value) = self { value } else { nil }
  }

  /// The object; `nil` for anything else.
  public var object: [String: JSONValue]? {
    if case .object(let value) = self { value } else { nil }
  }

  /// The member of that name; `nil` where this is no object or has no such member.
  public subscript(key: String) -> JSONValue? {
    if case .object(let members) = self { members[key] } else { nil }
  }

  /// The element at that index; `nil` where this is no array or has no such element.
  public subscript(index: Int) -> JSONValue? {
    guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
    return elements[index]
  }
}
