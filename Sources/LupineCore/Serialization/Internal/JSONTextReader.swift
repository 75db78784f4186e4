import FoundationEssentials

/// Reads JSON text (RFC 8259) into a `JSONValue`, in one pass over its bytes and with a stack of its own.
///
/// A `JSONValue` asks Foundation's decoder for one kind of value after the other, and each refusal describes the whole way
/// to the value: work that grows with the third power of the depth, so that a kilobyte of brackets took seconds.
struct JSONTextReader {
  /// An array or object that has begun and not ended.
  private struct Container {
    let isObject: Bool
    var elements: [JSONValue] = []
    var members: [String: JSONValue] = [:]
    /// The name of the member whose value comes next.
    var name = ""
  }

  let bytes: [UInt8]
  var position = 0
  private var open: [Container] = []

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Reads one value that takes up all of the bytes; of members with the same name the first one counts.
  ///
  /// The text is UTF-8, or UTF-16 or UTF-32 as its first bytes show.
  static func value(of data: Data) throws(LupineError) -> JSONValue {
    var reader = JSONTextReader(try inUTF8(data))
    return try reader.read()
  }

  private mutating func read() throws(LupineError) -> JSONValue {
    while true {
      guard var value = try begin() else { continue }
      while !open.isEmpty, let closed = try attach(value) { value = closed }
      guard open.isEmpty else { continue }
      skipBlanks()
      guard position == bytes.count else { throw problem("nothing was expected after the value") }
      return value
    }
  }

  /// Reads a value, or opens a container and returns nothing.
  private mutating func begin() throws(LupineError) -> JSONValue? {
    skipBlanks()
    guard let first = peek() else { throw problem("a value was expected") }
    switch first {
    case UInt8(ascii: "["): return try openContainer(isObject: false)
    case UInt8(ascii: "{"): return try openContainer(isObject: true)
    case UInt8(ascii: "\""): return .string(try readString())
    case UInt8(ascii: "t"): return try literal("true", .bool(true))
    case UInt8(ascii: "f"): return try literal("false", .bool(false))
    case UInt8(ascii: "n"): return try literal("null", .null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try readNumber()
    default: throw problem("a value was expected")
    }
  }

  /// Returns a container only where it is empty.
  private mutating func openContainer(isObject: Bool) throws(LupineError) -> JSONValue? {
    guard open.count < NestingDepth.limit else { throw NestingDepth.exceeded }
    position += 1
    skipBlanks()
    if take(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) { return isObject ? .object([:]) : .array([]) }
    var container = Container(isObject: isObject)
    if isObject { container.name = try readName() }
    open.append(container)
    return nil
  }

  /// Puts a value into the container it stands in; returns that one where it ends here.
  private mutating func attach(_ value: JSONValue) throws(LupineError) -> JSONValue? {
    let last = open.count - 1
    let isObject = open[last].isObject
    if !isObject {
      open[last].elements.append(value)
    } else if open[last].members[open[last].name] == nil {
      open[last].members[open[last].name] = value
    }
    skipBlanks()
    if take(UInt8(ascii: ",")) {
      if isObject {
        skipBlanks()
        open[last].name = try readName()
      }
      return nil
    }
    guard take(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
      throw problem("a comma or the end of \(isObject ? "the object" : "the array") was expected")
    }
    let ended = open.removeLast()
    return isObject ? .object(ended.members) : .array(ended.elements)
  }

  private mutating func readName() throws(LupineError) -> String {
    guard peek() == UInt8(ascii: "\"") else { throw problem("a member's name was expected") }
    let name = try readString()
    skipBlanks()
    guard take(UInt8(ascii: ":")) else { throw problem("a colon was expected") }
    return name
  }

  private mutating func literal(_ text: StaticString, _ value: JSONValue) throws(LupineError) -> JSONValue {
    let end = position + text.utf8CodeUnitCount
    let expected = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    guard end <= bytes.count, bytes[position..<end].elementsEqual(expected) else {
      throw problem("a value was expected")
    }
    position = end
    return value
  }
}

extension JSONTextReader {
  func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

  mutating func take(_ byte: UInt8) -> Bool {
    guard peek() == byte else { return false }
    position += 1
    return true
  }

  private mutating func skipBlanks() {
    position = end { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
  }

  /// The place of the first byte from here on that does not belong, or the end.
  func end(of belongs: (UInt8) -> Bool) -> Int {
    bytes.withUnsafeBufferPointer { buffer in
      guard let first = buffer.baseAddress else { return position }
      var end = position
      while end < buffer.count, belongs(first[end]) { end += 1 }
      return end
    }
  }

  /// Says what is wrong here, without a byte of the text, which may be secret.
  func problem(_ reason: String) -> LupineError {
    let place = position < bytes.count ? "at byte \(position)" : "at its end"
    return LupineError(.serializationFailed, "The body is no JSON: \(reason) \(place).")
  }

  private static func inUTF8(_ data: Data) throws(LupineError) -> [UInt8] {
    guard let encoding = ByteOrderMark(startOf: data)?.encoding ?? unmarkedEncoding(of: data) else {
      return Array(data)
    }
    if encoding == .utf8 { return Array(data.dropFirst(ByteOrderMark.utf8.bytes.count)) }
    return Array(try encoding.decode(data).utf8)
  }

  /// JSON begins with two characters of ASCII or is one byte long, so zeros tell its encoding (RFC 4627 section 3).
  private static func unmarkedEncoding(of data: Data) -> TextEncoding? {
    switch data.prefix(4).map({ $0 == 0 }) {
    case [true, true, true, false]: TextEncoding("UTF-32BE")
    case [false, true, true, true]: TextEncoding("UTF-32LE")
    case let zeros where zeros.starts(with: [true, false]): .utf16BigEndian
    case let zeros where zeros.starts(with: [false, true]): .utf16LittleEndian
    default: nil
    }
  }
}
