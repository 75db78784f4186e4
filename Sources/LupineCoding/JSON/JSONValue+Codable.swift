import LupineCore
import LupineSupport

extension JSONValue: Codable {
  /// The maximum levels of arrays and objects that are encoded and decoded.
  static let maximumDepth = 512

  /// Decodes any JSON value.
  ///
  /// - Throws: `DecodingError` if the value is no JSON value, or is nested deeper than 512 levels.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    // Containers are tried first, so that an error inside an array is not mistaken for a value that is no array. Each
    // failed attempt also makes the decoder build a description of the coding path.
    if container.decodeNil() {
      self = .null
    } else if (try? decoder.unkeyedContainer()) != nil {
      self = .array(try Self.nested(in: container) { try container.decode([JSONValue].self) })
    } else if (try? decoder.container(keyedBy: PlainCodingKey.self)) != nil {
      self = .object(try Self.nested(in: container) { try container.decode([String: JSONValue].self) })
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = JSONValue(numberIn: container) {
      self = value
    } else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "The value is not a JSON value, or is a number out of range.")
    }
  }

  /// The number of arrays and objects that enclose the value that is being decoded.
  ///
  /// A decoder's coding path has the same count, but Foundation builds the path again at each level.
  @TaskLocal private static var levels = 0

  private static func nested<Value>(
    in container: any SingleValueDecodingContainer, _ decode: () throws -> Value
  ) throws -> Value {
    guard levels < maximumDepth else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: tooDeep)
    }
    return try $levels.withValue(levels + 1, operation: decode)
  }

  private init?(numberIn container: any SingleValueDecodingContainer) {
    if let value = try? container.decode(Int64.self) {
      self = .integer(value)
    } else if let value = try? container.decode(UInt64.self) {
      self = .unsignedInteger(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else {
      return nil
    }
  }

  /// Encodes the value.
  ///
  /// - Throws: `LupineError` of kind `parameterEncodingFailed` if the value is nested deeper than 512 levels, which
  ///   `PropertyListEncoder` turns into an `EncodingError`; `EncodingError` if the encoder cannot write the value, such
  ///   as 512 levels or a number that is not finite with `JSONEncoder`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .unsignedInteger(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .array(let elements):
      try checkDepth(encoder.codingPath)
      try container.encode(elements)
    case .object(let members):
      try checkDepth(encoder.codingPath)
      try container.encode(members)
    }
  }

  private func checkDepth(_ path: [any CodingKey]) throws {
    guard path.count < Self.maximumDepth else { throw EncodingDepth.exceeded }
  }

  private static var tooDeep: String { "The JSON value is nested more than \(maximumDepth) levels deep." }
}

extension JSONValue {
  /// Whether the value has more levels of arrays and objects than the limit; a scalar has none.
  func isDeeper(than limit: Int) -> Bool {
    var level = [self]
    var depth = 0
    while true {
      var next: [JSONValue] = []
      var hasContainer = false
      for value in level {
        switch value {
        case .array(let elements):
          hasContainer = true
          next.append(contentsOf: elements)
        case .object(let members):
          hasContainer = true
          next.append(contentsOf: members.values)
        default: break
        }
      }
      guard hasContainer else { return false }
      depth += 1
      if depth > limit { return true }
      level = next
    }
  }
}

/// A coding key with any name, or an array's index.
struct PlainCodingKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(stringValue: String) {
    self.stringValue = stringValue
    intValue = nil
  }

  init(intValue: Int) {
    stringValue = String(intValue)
    self.intValue = intValue
  }
}

extension JSONValue: CustomStringConvertible {
  /// Compact JSON text with the members sorted by name.
  ///
  /// A number that JSON cannot express becomes `null`; a value that is nested deeper than 512 levels becomes `…`.
  public var description: String {
    var text: [UInt8] = []
    write(to: &text, depth: 0)
    return String(decoding: text, as: UTF8.self)
  }

  private func write(to text: inout [UInt8], depth: Int) {
    switch self {
    case .null: text += "null".utf8
    case .bool(let value): text += value.description.utf8
    case .integer(let value): text += value.description.utf8
    case .unsignedInteger(let value): text += value.description.utf8
    case .number(let value): text += (value.isFinite ? value.description : "null").utf8
    case .string(let value): Self.write(value, to: &text)
    case .array, .object:
      guard depth < Self.maximumDepth else {
        text += "…".utf8
        return
      }
      writeContainer(to: &text, depth: depth + 1)
    }
  }

  private func writeContainer(to text: inout [UInt8], depth: Int) {
    var isFirst = true
    func separate(_ text: inout [UInt8]) {
      if !isFirst { text += ",".utf8 }
      isFirst = false
    }
    if case .array(let elements) = self {
      text += "[".utf8
      for element in elements {
        separate(&text)
        element.write(to: &text, depth: depth)
      }
      text += "]".utf8
    } else if case .object(let members) = self {
      text += "{".utf8
      for (name, value) in members.sorted(by: { $0.key < $1.key }) {
        separate(&text)
        Self.write(name, to: &text)
        text += ":".utf8
        value.write(to: &text, depth: depth)
      }
      text += "}".utf8
    }
  }

  private static func write(_ string: String, to text: inout [UInt8]) {
    text.append(UInt8(ascii: "\""))
    for byte in string.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): text += [UInt8(ascii: "\\"), byte]
      case UInt8(ascii: "\n"): text += #"\n"#.utf8
      case UInt8(ascii: "\r"): text += #"\r"#.utf8
      case UInt8(ascii: "\t"): text += #"\t"#.utf8
      case 0..<0x20, 0x7f:
        text += #"\u00"#.utf8
        text += [Hexadecimal.upperCaseDigit(byte >> 4), Hexadecimal.upperCaseDigit(byte & 15)]
      default: text.append(byte)
      }
    }
    text.append(UInt8(ascii: "\""))
  }
}

/// The limits for nested values, so that no value overflows the stack.
enum EncodingDepth {
  /// Levels of keyed and unkeyed containers.
  static let maximumLevels = JSONValue.maximumDepth
  /// Nested calls of `encode(to:)`: some types wrap a value several times for each level.
  static let maximumCalls = 4 * maximumLevels

  /// A constant, because an encoder that continues after the error needs it again at every level.
  static let exceeded = LupineError(
    .parameterEncodingFailed,
    "The parameters are nested more than \(maximumLevels) levels deep, or contain themselves.")
}
