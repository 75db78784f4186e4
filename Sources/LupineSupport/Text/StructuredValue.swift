import LupineFoundation

/// A value of a structured field (RFC 9651 section 3), without its parameters.
public enum StructuredValue: Sendable, Hashable {
  case boolean(Bool)
  case integer(Int64)
  /// A decimal, in thousandths.
  case decimal(thousandths: Int64)
  case string(String)
  case token(String)
  case bytes([UInt8])
  /// A date, in seconds since 1970.
  case date(Int64)
  case displayString(String)
  /// An inner list.
  case list([StructuredItem])

  /// The strict serialization (RFC 9651 section 4.1) of a value that has been parsed.
  public var serialized: String {
    switch self {
    case .boolean(let isTrue): isTrue ? "?1" : "?0"
    case .integer(let number): "\(number)"
    case .decimal(let thousandths): Self.decimal(thousandths)
    case .string(let text): text.quotedString
    case .token(let text): text
    case .bytes(let bytes): ":\(Data(bytes).base64EncodedString()):"
    case .date(let seconds): "@\(seconds)"
    case .displayString(let text): Self.displayString(text)
    case .list(let items): "(" + items.map(\.serialized).joined(separator: " ") + ")"
    }
  }

  private static func decimal(_ thousandths: Int64) -> String {
    let (whole, rest) = thousandths.magnitude.quotientAndRemainder(dividingBy: 1_000)
    var fraction = "\(1_000 + rest)".dropFirst()
    while fraction.utf8.count > 1, fraction.hasSuffix("0") { fraction.removeLast() }
    return (thousandths < 0 ? "-" : "") + "\(whole).\(fraction)"
  }

  /// Escapes the bytes that are not visible ASCII or a space, the quote and `%`.
  private static func displayString(_ text: String) -> String {
    var serialized = "%\""
    for byte in text.utf8 {
      if (0x20...0x7E).contains(byte), byte != UInt8(ascii: "%"), byte != UInt8(ascii: "\"") {
        serialized.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        serialized += "%" + Hexadecimal.text([byte])
      }
    }
    return serialized + "\""
  }
}

/// A parameter of a value (RFC 9651 section 3.1.2).
public struct StructuredParameter: Sendable, Hashable {
  /// The name.
  public let name: String
  /// The value, which is not an inner list.
  public let value: StructuredValue
}

/// A value of a structured field with its parameters.
public struct StructuredItem: Sendable, Hashable {
  /// The value, without the parameters.
  public let value: StructuredValue
  /// The parameters in their order; of several with one name the last one counts.
  public let parameters: [StructuredParameter]

  /// Creates an item from valid parts.
  public init(_ value: StructuredValue, _ parameters: [StructuredParameter]) {
    self.value = value
    self.parameters = parameters
  }

  /// Parses a field that is an item (RFC 9651 section 3.3); `nil` if it violates the grammar.
  public init?(_ text: String) {
    var cursor = FieldCursor(text)
    cursor.skipSpaces()
    guard let item = cursor.structuredItem() else { return nil }
    cursor.skipSpaces()
    guard cursor.isAtEnd else { return nil }
    self = item
  }

  /// The strict serialization (RFC 9651 section 4.1) of an item that has been parsed.
  public var serialized: String { value.serialized + serializedParameters }

  /// A parameter that occurs several times has its last value, at the place of the first one.
  var serializedParameters: String {
    var values: [String: StructuredValue] = [:]
    for parameter in parameters { values[parameter.name] = parameter.value }
    return parameters.compactMap { parameter in
      values.removeValue(forKey: parameter.name).map { value in
        ";" + parameter.name + (value == .boolean(true) ? "" : "=" + value.serialized)
      }
    }.joined()
  }
}

/// A field that is a list (RFC 9651 section 3.1).
public struct StructuredList: Sendable, Hashable {
  /// The items, in their order.
  public let items: [StructuredItem]

  /// Parses a field, whose lines are joined with commas; `nil` if it violates the grammar.
  public init?(_ text: String) {
    var cursor = FieldCursor(text)
    guard let items = cursor.structuredMembers({ $0.structuredItemOrList() }) else { return nil }
    self.items = items
  }

  /// The strict serialization (RFC 9651 section 4.1).
  public var serialized: String { items.map(\.serialized).joined(separator: ", ") }
}

/// A field that is a dictionary (RFC 9651 section 3.2).
public struct StructuredDictionary: Sendable, Hashable {
  /// The keys, in the order of their first occurrences.
  private var keys: [String] = []
  private var items: [String: StructuredItem] = [:]

  /// Parses a field, whose lines are joined with commas; `nil` if it violates the grammar.
  ///
  /// A field that does not parse is ignored as a whole (RFC 9651 section 4.2). Of a repeated key the last member counts.
  public init?(_ text: String) {
    var cursor = FieldCursor(text)
    guard let members = cursor.structuredMembers({ $0.structuredMember() }) else { return nil }
    for (key, item) in members where items.updateValue(item, forKey: key) == nil { keys.append(key) }
  }

  /// The values of the members by their keys, without parameters.
  public var members: [String: StructuredValue] { items.mapValues(\.value) }

  /// The value of a member, without parameters.
  public subscript(key: String) -> StructuredValue? { items[key]?.value }

  /// A member with its parameters.
  public func item(_ key: String) -> StructuredItem? { items[key] }

  /// The strict serialization (RFC 9651 section 4.1).
  public var serialized: String {
    keys.compactMap { key in
      items[key].map { item in
        key + (item.value == .boolean(true) ? "" : "=" + item.value.serialized) + item.serializedParameters
      }
    }.joined(separator: ", ")
  }
}
