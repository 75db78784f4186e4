/// JSON of unknown shape (RFC 8259).
///
/// Integers from `Int64.min` to `UInt64.max` are exact. Two numbers are equal if they have the same value, however they
/// are stored: `.integer(1) == .number(1.0)`.
///
/// Encoding, decoding and `description` support 512 levels (Foundation's `JSONEncoder` supports 511). Deeper values
/// make the first two throw, as documented at `encode(to:)` and `init(from:)`. Comparing and hashing do not recurse.
/// Releasing a value that a program built tens of thousands of levels deep overflows the stack, as with every nested
/// Swift array; no response can contain such a value.
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

  /// Stores an integer, exactly if it fits in 64 bits and otherwise as the nearest `Double`.
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

extension JSONValue: ExpressibleByNilLiteral {
  /// Makes `null`.
  public init(nilLiteral: ()) { self = .null }
}

extension JSONValue: ExpressibleByBooleanLiteral {
  /// Makes `true` or `false`.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension JSONValue: ExpressibleByIntegerLiteral {
  /// Makes an integer.
  public init(integerLiteral value: Int64) { self = .integer(value) }
}

extension JSONValue: ExpressibleByFloatLiteral {
  /// Makes a number.
  public init(floatLiteral value: Double) { self = .number(value) }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
  /// Makes a text.
  public init(stringLiteral value: String) { self = .string(value) }
}

extension JSONValue: ExpressibleByArrayLiteral {
  /// Makes an array.
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
}

extension JSONValue: ExpressibleByDictionaryLiteral {
  /// Makes an object; if a name occurs twice, the last value is kept.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(Dictionary(elements) { _, last in last })
  }
}

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

  /// The number as an `Int`; `nil` for anything else, including a fraction and a number that does not fit.
  public var int: Int? {
    switch self {
    case .integer(let value): Int(exactly: value)
    case .number(let value): Int(exactly: value)
    default: nil
    }
  }

  /// The number as a `UInt64`; `nil` for anything else, including a fraction and a number that does not fit.
  public var unsigned: UInt64? {
    switch self {
    case .integer(let value): UInt64(exactly: value)
    case .unsignedInteger(let value): value
    case .number(let value): UInt64(exactly: value)
    default: nil
    }
  }

  /// The number as a `Double`, rounded if an integer has more digits; `nil` for anything else.
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

  /// The member with that name; `nil` if this is no object or has no such member.
  public subscript(key: String) -> JSONValue? {
    if case .object(let members) = self { members[key] } else { nil }
  }

  /// The element at that index; `nil` if this is no array or has no such element.
  public subscript(index: Int) -> JSONValue? {
    guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
    return elements[index]
  }
}

extension JSONValue: Hashable {
  /// Compares by meaning: numbers by value, objects regardless of the order of their members.
  public static func == (left: JSONValue, right: JSONValue) -> Bool {
    // A worklist instead of recursion, so that a deep value does not overflow the stack.
    var pending: [(JSONValue, JSONValue)] = []
    guard matches(left, right, pending: &pending) else { return false }
    while let (left, right) = pending.popLast() {
      guard matches(left, right, pending: &pending) else { return false }
    }
    return true
  }

  private static func matches(
    _ left: JSONValue, _ right: JSONValue, pending: inout [(JSONValue, JSONValue)]
  ) -> Bool {
    switch (left, right) {
    case (.null, .null): return true
    case (.bool(let left), .bool(let right)): return left == right
    case (.string(let left), .string(let right)): return left == right
    case (.array(let left), .array(let right)):
      guard left.count == right.count else { return false }
      pending.append(contentsOf: zip(left, right))
      return true
    case (.object(let left), .object(let right)):
      guard left.count == right.count else { return false }
      for (key, value) in left {
        guard let other = right[key] else { return false }
        pending.append((value, other))
      }
      return true
    default: return numbersMatch(left, right)
    }
  }

  private static func numbersMatch(_ left: JSONValue, _ right: JSONValue) -> Bool {
    switch (left, right) {
    case (.integer(let left), .integer(let right)): left == right
    case (.unsignedInteger(let left), .unsignedInteger(let right)): left == right
    case (.integer(let left), .unsignedInteger(let right)): left == right
    case (.unsignedInteger(let left), .integer(let right)): left == right
    case (.number(let left), .number(let right)): left == right
    case (.number(let number), let other), (let other, .number(let number)): other.isInteger(number)
    default: false
    }
  }

  private func isInteger(_ number: Double) -> Bool {
    switch self {
    case .integer(let value): Int64(exactly: number) == value
    case .unsignedInteger(let value): UInt64(exactly: number) == value
    default: false
    }
  }

  /// Hashes the first levels of the value, which bounds the work for a deep value.
  public func hash(into hasher: inout Hasher) {
    hash(into: &hasher, levels: 8)
  }

  private func hash(into hasher: inout Hasher, levels: Int) {
    switch self {
    case .null: hasher.combine(0)
    case .bool(let value): hasher.combine(value)
    case .integer(let value): hasher.combine(value)
    case .unsignedInteger(let value): hasher.combine(value)
    case .number(let value): Self.hash(value, into: &hasher)
    case .string(let value): hasher.combine(value)
    case .array(let elements):
      hasher.combine(elements.count)
      guard levels > 0 else { return }
      for element in elements { element.hash(into: &hasher, levels: levels - 1) }
    case .object(let members):
      // Only the names are hashed, regardless of order; equality compares the members.
      hasher.combine(members.count)
      hasher.combine(Set(members.keys))
    }
  }

  /// Hashes a number as the integer that it equals, if any.
  private static func hash(_ number: Double, into hasher: inout Hasher) {
    if let signed = Int64(exactly: number) {
      hasher.combine(signed)
    } else if let unsigned = UInt64(exactly: number) {
      hasher.combine(unsigned)
    } else {
      hasher.combine(number)
    }
  }
}
