import HTTPTypes
import LupineFoundation
import LupineSupport

/// Reads one line of a cassette, with its continuation lines: a JSON object whose first member names the kind of line.
struct CassetteLine {
  typealias Fault = JSONCursor.Fault

  /// The name of the first member.
  let kind: String
  private let bytes: [UInt8]
  /// The values that have not been read yet.
  private var values: [String: Range<Int>] = [:]

  /// Checks the syntax of the whole line.
  init(_ bytes: [UInt8]) throws(Fault) {
    do throws(UTF8.ValidationError) {
      _ = try UTF8Span(validating: bytes.span)
    } catch {
      throw Fault(position: error.byteOffsets.lowerBound, reason: "the bytes are not valid UTF-8")
    }
    var cursor = JSONCursor(bytes)
    var first: String?
    var found: [String: Range<Int>] = [:]
    try cursor.object { (name, cursor) throws(Fault) in
      if first == nil { first = name }
      found[name] = try cursor.skipValue()
    }
    try cursor.end()
    guard let first else { throw cursor.fault("the line has no member", at: 0) }
    self.bytes = bytes
    kind = first
    values = found
  }

  /// Requires that every member has been read.
  func end() throws(Fault) {
    guard let (name, range) = values.min(by: { $0.value.lowerBound < $1.value.lowerBound }) else { return }
    let shown = name.escapingControls(limit: 100).debugDescription
    throw Fault(
      position: range.lowerBound,
      reason: "the member \(shown) is unknown in a line that begins with \(kind.escapingControls(limit: 100))")
  }

  func fault(_ reason: String) -> Fault { Fault(position: 0, reason: reason) }

  /// Takes a member; `nil` if the line has none with this name.
  private mutating func take(_ name: String) -> JSONCursor? {
    values.removeValue(forKey: name).map { JSONCursor(bytes, at: $0.lowerBound) }
  }

  /// Returns the value of a member that a line must have.
  static func needed<Value>(_ value: Value?, _ name: String) throws(Fault) -> Value {
    guard let value else { throw Fault(position: 0, reason: "the member \"\(name)\" is missing") }
    return value
  }

  mutating func string(_ name: String) throws(Fault) -> String? {
    guard var cursor = take(name) else { return nil }
    return try cursor.string()
  }

  mutating func flag(_ name: String) throws(Fault) -> Bool {
    guard var cursor = take(name) else { return false }
    return try cursor.bool()
  }

  mutating func count(_ name: String) throws(Fault) -> Int64? {
    guard var cursor = take(name) else { return nil }
    return try cursor.count()
  }

  mutating func seconds(_ name: String) throws(Fault) -> Duration? {
    guard var cursor = take(name) else { return nil }
    return try cursor.seconds()
  }

  mutating func strings(_ name: String) throws(Fault) -> [String]? {
    try array(name) { (cursor) throws(Fault) in try cursor.string() }
  }

  mutating func array<Value>(
    _ name: String, _ element: (inout JSONCursor) throws(Fault) -> Value
  ) throws(Fault) -> [Value]? {
    guard var cursor = take(name) else { return nil }
    var elements: [Value] = []
    try cursor.array { (cursor) throws(Fault) in elements.append(try element(&cursor)) }
    return elements
  }

  /// Takes the bytes of a member as they are written.
  mutating func json(_ name: String) -> [UInt8]? {
    values.removeValue(forKey: name).map { Array(bytes[$0]) }
  }

  mutating func data(_ name: String) throws(Fault) -> Data? {
    guard var cursor = take(name) else { return nil }
    return try cursor.base64()
  }

  mutating func digest(_ name: String) throws(Fault) -> Data? {
    guard var cursor = take(name) else { return nil }
    let text = Array(try cursor.string().utf8)
    guard text.count == 64, text.allSatisfy({ $0.isHex && !$0.isUpper }) else {
      throw cursor.fault("a SHA-256 has 64 hexadecimal digits in lower case")
    }
    return Data(
      stride(from: 0, to: 64, by: 2).map { index in
        (Hexadecimal.value(of: text[index]) ?? 0) << 4 | (Hexadecimal.value(of: text[index + 1]) ?? 0)
      })
  }

  mutating func fields(_ name: String) throws(Fault) -> HTTPFields? {
    guard var cursor = take(name) else { return nil }
    var fields = HTTPFields()
    try cursor.array { (cursor) throws(Fault) in try fields.append(try cursor.field(), bounded: cursor) }
    return fields
  }
}

extension HTTPFields {
  /// The maximum number of fields of a message; `HTTPFields` traps at some more.
  private static let maximumCount = 10_000

  /// Appends a field of an untrusted file.
  mutating func append(_ field: HTTPField, bounded cursor: JSONCursor) throws(JSONCursor.Fault) {
    guard count < Self.maximumCount else { throw cursor.fault("a message has more than \(Self.maximumCount) fields") }
    append(field)
  }
}

/// The values of a cassette.
extension JSONCursor {
  /// Reads a number of bytes.
  mutating func count() throws(Fault) -> Int64 {
    let start = position
    guard let count = Int64(try number()), count >= 0 else {
      throw fault("a whole number of at most 63 bits is expected", at: start)
    }
    return count
  }

  /// Reads a time.
  mutating func seconds() throws(Fault) -> Duration {
    let start = position
    guard let duration = Seconds.duration(try number()) else {
      throw fault("a time is a number of seconds from 0 with at most 12 digits and 6 decimals", at: start)
    }
    return duration
  }

  mutating func base64() throws(Fault) -> Data {
    let start = position
    guard let data = Data(base64Encoded: try string()) else { throw fault("the text is not base64", at: start) }
    return data
  }

  /// Reads a field as `LineBuilder` writes it.
  mutating func field() throws(Fault) -> HTTPField {
    let byte = peek()
    let start = position
    var name: String?
    var value: [UInt8]?
    if byte == UInt8(ascii: "{") {
      try object { (member, cursor) throws(Fault) in
        switch member {
        case "field": name = try cursor.string()
        case "base64": value = Array(try cursor.base64())
        default: throw cursor.fault("a field has the members \"field\" and \"base64\"")
        }
      }
    } else {
      let line = try string()
      if let colon = line.utf8.firstIndex(of: .colon) {
        name = String(line[..<colon])
        let rest = line.utf8[line.utf8.index(after: colon)...]
        value = Array(rest.first == .space ? rest.dropFirst() : rest)
      }
    }
    guard let name = name.flatMap({ HTTPField.Name($0) }), let value else {
      throw fault("a field has the form \"Name: value\"", at: start)
    }
    guard !value.contains(where: { [0x00, 0x0A, 0x0D].contains($0) }) else {
      throw fault("a field's value contains a line break or a zero byte", at: start)
    }
    return HTTPField(name: name, lenientValue: value)
  }
}
