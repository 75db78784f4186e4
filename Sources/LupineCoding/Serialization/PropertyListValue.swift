public import LupineFoundation

/// A property list of unknown shape.
public enum PropertyListValue: Sendable, Hashable {
  /// A text.
  case string(String)
  /// An integer that `Int64` holds; a real number without a fraction becomes an integer, because a decoder cannot
  /// distinguish them.
  case integer(Int64)
  /// An integer above `Int64.max`.
  case unsignedInteger(UInt64)
  /// Any other number.
  case real(Double)
  /// True or false.
  case bool(Bool)
  /// A point in time.
  case date(Date)
  /// Bytes.
  case data(Data)
  /// Values in order.
  case array([PropertyListValue])
  /// Values by name; the order is not kept.
  case dictionary([String: PropertyListValue])
}

extension PropertyListValue: EmptyResponse {
  /// Returns an empty dictionary.
  public static func emptyValue() -> PropertyListValue { .dictionary([:]) }
}

extension PropertyListValue {
  /// The member of a dictionary; `nil` if this is no dictionary or has no such member.
  public subscript(key: String) -> PropertyListValue? {
    if case .dictionary(let members) = self { members[key] } else { nil }
  }

  /// The element of an array; `nil` if this is no array or is shorter.
  public subscript(index: Int) -> PropertyListValue? {
    if case .array(let elements) = self, elements.indices.contains(index) { elements[index] } else { nil }
  }
}

extension PropertyListValue: Codable {
  /// Decodes any property list value.
  ///
  /// - Throws: `DecodingError` if the value is no property list value.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    // Containers are tried first, so that an error inside an array is not mistaken for a value that is no array. Each
    // failed attempt also makes the decoder build a description of the coding path.
    if (try? decoder.unkeyedContainer()) != nil {
      self = .array(try container.decode([PropertyListValue].self))
    } else if (try? decoder.container(keyedBy: PlainCodingKey.self)) != nil {
      self = .dictionary(try container.decode([String: PropertyListValue].self))
    } else if let value = PropertyListValue(scalarIn: container) {
      self = value
    } else {
      self = .dictionary(try container.decode([String: PropertyListValue].self))
    }
  }

  private init?(scalarIn container: any SingleValueDecodingContainer) {
    if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .integer(value)
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(UInt64.self) {
      self = .unsignedInteger(value)
    } else if let value = try? container.decode(Double.self) {
      self = .real(value)
    } else if let value = try? container.decode(Date.self) {
      self = .date(value)
    } else if let value = try? container.decode(Data.self) {
      self = .data(value)
    } else if container.decodeNil() {
      // Foundation's decoder treats this text as an absent value.
      self = .string("$null")
    } else {
      return nil
    }
  }

  /// Encodes the value.
  ///
  /// - Throws: the error of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .string(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .unsignedInteger(let value): try container.encode(value)
    case .real(let value): try container.encode(value)
    case .bool(let value): try container.encode(value)
    case .date(let value): try container.encode(value)
    case .data(let value): try container.encode(value)
    case .array(let elements): try container.encode(elements)
    case .dictionary(let members): try container.encode(members)
    }
  }
}
