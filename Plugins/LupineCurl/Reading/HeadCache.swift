import HTTPTypes
import LupineCore

/// Caches header lines and heads that arrive repeatedly, so that they are not validated and decoded again.
final class HeadCache {
  private static let slots = 256
  /// The lengths in bytes of the lines that are cached: shorter lines cost little, and longer lines rarely repeat.
  private static let lengths = 8...128
  private let names = FieldNameCache()
  private var fields = [FieldLine?](repeating: nil, count: slots)
  private var status: StatusLine?
  private var lastLines: [FieldLine] = []
  private var lastFields = HTTPFields()
  /// The last head that arrived twice in a row.
  private(set) var head: CachedHead?

  /// Returns the field of a line; `nil` if the line has no colon.
  func field(_ line: UnsafeRawBufferPointer) throws(LupineError) -> FieldLine? {
    guard Self.lengths.contains(line.count) else { return try FieldLine(line, names) }
    let slot = Self.slot(line)
    if let cached = fields[slot], cached.isEqual(to: line) { return cached }
    let field = try FieldLine(line, names)
    if let field, field.isCacheable { fields[slot] = field }
    return field
  }

  func statusLine(_ line: UnsafeRawBufferPointer) throws(LupineError) -> StatusLine {
    if let status, status.bytes.isEqual(to: line) { return status }
    let made = try StatusLine(line)
    if line.count <= Self.lengths.upperBound { status = made }
    return made
  }

  /// Builds a head, and caches it if its fields equal those of the last head.
  ///
  /// A head with a cookie is not cached, because cookie lines rarely repeat.
  func head(_ status: StatusLine, _ fields: [FieldLine], _ framing: Framing) -> ReceivedHead {
    let isRepeated = fields.elementsEqual(lastLines, by: ===)
    var response = status.head
    response.headerFields = join(fields)
    let received = ReceivedHead(status, response, framing)
    if isRepeated, status.code >= 200 { head = CachedHead(received, fields) }
    return received
  }

  /// Joins the fields in their order, and reuses the fields that the last head has in the same places.
  private func join(_ lines: [FieldLine]) -> HTTPFields {
    guard lines.allSatisfy(\.isCacheable) else { return HTTPFields(lines.map(\.field)) }
    if lines.count == lastLines.count {
      for index in lines.indices where lines[index] !== lastLines[index] { lastFields[index] = lines[index].field }
    } else {
      lastFields = HTTPFields(lines.map(\.field))
    }
    lastLines = lines
    return lastFields
  }

  /// Returns the cache slot of a line, from its length, its first 8 bytes and its last 8 bytes.
  private static func slot(_ line: UnsafeRawBufferPointer) -> Int {
    let first = line.loadUnaligned(as: UInt64.self)
    let last = line.loadUnaligned(fromByteOffset: line.count - 8, as: UInt64.self)
    let hash = (first ^ (last &* 31) ^ UInt64(line.count)) &* 0x9E37_79B9_7F4A_7C15
    return Int(hash >> 56)
  }
}

/// A head that arrived twice in a row, and whose bytes the following heads are compared with.
///
/// The head has been accepted, so an equal head is not parsed again. It contains no cookie.
final class CachedHead {
  let head: ReceivedHead
  let fieldCount: Int
  /// All lines in their order, with their line ends; the last line is empty.
  private let bytes: [UInt8]

  init(_ head: ReceivedHead, _ fields: [FieldLine]) {
    self.head = head
    fieldCount = fields.count
    let lines = [head.statusLine.bytes] + fields.map(\.bytes) + [[]]
    bytes = lines.flatMap { $0 + [0x0D, 0x0A] }
  }

  /// The length in bytes.
  var size: Int { bytes.count }

  /// Whether the bytes at an offset equal this line, including its line end.
  ///
  /// The offset must be the start of a line. Only a line end contains a line feed.
  func contains(_ line: UnsafeRawBufferPointer, at start: Int) -> Bool {
    line.last == 0x0A && bytes.contains(line, at: start)
  }

  /// The lines before an offset, each with its line end.
  func lines(before end: Int) -> [ArraySlice<UInt8>] {
    bytes[..<end].split(separator: 0x0A).map { $0.startIndex..<($0.endIndex + 1) }.map { bytes[$0] }
  }
}
