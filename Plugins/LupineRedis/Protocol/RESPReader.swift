import LupineFoundation

/// Reads one reply of RESP2 from bytes that arrive in pieces.
///
/// Every length is checked before its bytes are kept, so that a server cannot make the reader keep more than its
/// limits.
struct RESPReader {
  /// The most that one reply may have.
  struct Limits: Sendable {
    /// The bytes of the whole reply.
    var bytes: Int
    /// The bytes of a line: of a length, a number, a simple string or an error.
    var line = 4_096
    /// The values in all arrays together.
    var values = 65_536
    /// The arrays within arrays.
    var depth = 4
  }

  /// The reply violates the protocol or exceeds a limit.
  struct Violation: Error, Equatable {
    let reason: String
  }

  /// An array whose values have not all arrived.
  private struct OpenArray {
    var missing: Int
    var values: [RESPValue] = []
  }

  private enum Item {
    case value(RESPValue)
    case array(count: Int)
  }

  private let limits: Limits
  private var buffer: [UInt8] = []
  /// The position of the first byte that is not read yet.
  private var start = 0
  /// The position up to which no line feed was found.
  private var searched = 0
  /// The length of the bulk string whose first line was read.
  private var bulkLength: Int?
  private var open: [OpenArray] = []
  private var valueCount = 0

  init(limits: Limits) { self.limits = limits }

  /// Whether all bytes were read.
  var isEmpty: Bool { start == buffer.count }

  mutating func append(_ bytes: some Collection<UInt8>) throws(Violation) {
    guard buffer.count + bytes.count <= limits.bytes else {
      throw Violation(reason: "a reply of more than \(limits.bytes) bytes")
    }
    buffer.append(contentsOf: bytes)
  }

  /// Returns the reply; `nil` if its end has not arrived.
  mutating func next() throws(Violation) -> RESPValue? {
    while let item = try nextItem() {
      switch item {
      case .value(let value): if let reply = complete(value) { return reply }
      case .array(0): if let reply = complete(.array([])) { return reply }
      case .array(let count): try begin(count)
      }
    }
    return nil
  }

  private mutating func begin(_ count: Int) throws(Violation) {
    valueCount += min(count, limits.values + 1)
    guard valueCount <= limits.values else { throw Violation(reason: "more than \(limits.values) values") }
    guard open.count < limits.depth else { throw Violation(reason: "more than \(limits.depth) arrays in each other") }
    open.append(OpenArray(missing: count))
  }

  /// Adds a value to the innermost array; returns the reply if it is complete.
  private mutating func complete(_ value: RESPValue) -> RESPValue? {
    var value = value
    while var array = open.popLast() {
      array.values.append(value)
      array.missing -= 1
      if array.missing > 0 {
        open.append(array)
        return nil
      }
      value = .array(array.values)
    }
    return value
  }

  private mutating func nextItem() throws(Violation) -> Item? {
    if let bulkLength { return try bulk(bulkLength).map { .value($0) } }
    guard let line = try nextLine() else { return nil }
    guard let type = line.first else { throw Violation(reason: "an empty line") }
    let rest = line.dropFirst()
    switch type {
    case UInt8(ascii: "+"): return .value(.text(String(decoding: rest, as: UTF8.self)))
    case UInt8(ascii: "-"): return .value(.error(String(decoding: rest, as: UTF8.self)))
    case UInt8(ascii: ":"): return .value(.integer(try Self.number(rest)))
    case UInt8(ascii: "$"):
      guard let length = try Self.length(rest) else { return .value(.null) }
      guard length <= limits.bytes else { throw Violation(reason: "a string of \(length) bytes") }
      bulkLength = length
      return try bulk(length).map { .value($0) }
    case UInt8(ascii: "*"): return try Self.length(rest).map { .array(count: $0) } ?? .value(.null)
    default: throw Violation(reason: "a value of an unknown type")
    }
  }

  /// Reads the bytes of a bulk string and the end of its line.
  private mutating func bulk(_ length: Int) throws(Violation) -> RESPValue? {
    guard buffer.count - start >= length + 2 else { return nil }
    let end = start + length
    guard buffer[end] == UInt8(ascii: "\r"), buffer[end + 1] == UInt8(ascii: "\n") else {
      throw Violation(reason: "a string that is longer than its length")
    }
    defer {
      start = end + 2
      bulkLength = nil
    }
    return .bytes(Data(buffer[start..<end]))
  }

  /// Reads a line without its end; a CR or LF within it is a violation.
  private mutating func nextLine() throws(Violation) -> ArraySlice<UInt8>? {
    let first = max(start, searched)
    guard let end = buffer[first...].firstIndex(of: UInt8(ascii: "\n")) else {
      searched = buffer.count
      guard buffer.count - start <= limits.line else { throw Violation(reason: "an endless line") }
      return nil
    }
    guard end - start <= limits.line else { throw Violation(reason: "a line of more than \(limits.line) bytes") }
    let line = buffer[start..<end]
    guard line.last == UInt8(ascii: "\r"), line.dropLast().firstIndex(of: UInt8(ascii: "\r")) == nil else {
      throw Violation(reason: "a line without CR and LF at its end")
    }
    start = end + 1
    return line.dropLast()
  }

  /// Returns a length; `nil` for -1, which means absent.
  private static func length(_ text: ArraySlice<UInt8>) throws(Violation) -> Int? {
    let number = try number(text)
    guard number >= -1, let length = Int(exactly: number) else { throw Violation(reason: "a negative length") }
    return length < 0 ? nil : length
  }

  private static func number(_ text: ArraySlice<UInt8>) throws(Violation) -> Int64 {
    let digits = text.first == UInt8(ascii: "-") ? text.dropFirst() : text
    guard (1...19).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }),
      let number = Int64(String(decoding: text, as: UTF8.self))
    else { throw Violation(reason: "a number that is none") }
    return number
  }
}
