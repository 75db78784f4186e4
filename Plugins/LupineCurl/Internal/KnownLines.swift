import HTTPTypes
import LupineCore

/// Remembers the lines of heads that arrive again and again, which saves checking them and making their text: servers
/// say most of what they say in the same words each time.
final class KnownLines {
  private static let slots = 256
  /// In bytes; a shorter line costs little, and a longer one seldom comes twice.
  private static let lengths = 8...128
  private let names = FieldNames()
  private var fields = [FieldLine?](repeating: nil, count: slots)
  private var status: StatusLine?
  private var lastLines: [FieldLine] = []
  private var lastFields = HTTPFields()
  /// The last head that came twice in a row, and is likely to come again.
  private(set) var head: KnownHead?

  /// The field that a line spells; `nil` where it has no colon.
  func field(_ line: UnsafeRawBufferPointer) throws(LupineError) -> FieldLine? {
    guard Self.lengths.contains(line.count) else { return try FieldLine(line, names) }
    let slot = Self.slot(line)
    if let known = fields[slot], known.isSpelled(line) { return known }
    let field = try FieldLine(line, names)
    if let field, field.isRemembered { fields[slot] = field }
    return field
  }

  func statusLine(_ line: UnsafeRawBufferPointer) throws(LupineError) -> StatusLine {
    if let status, status.bytes.isSame(as: line) { return status }
    let made = try StatusLine(line)
    if line.count <= Self.lengths.upperBound { status = made }
    return made
  }

  /// Makes a head of its lines, which is remembered as a whole where its fields are those of the last one.
  ///
  /// A cookie's line is never the same one again, so that no head with a cookie is kept.
  func head(_ status: StatusLine, _ fields: [FieldLine], _ framing: Framing) -> ReceivedHead {
    let isRepeated = fields.elementsEqual(lastLines, by: ===)
    var response = status.head
    response.headerFields = join(fields)
    let received = ReceivedHead(status, response, framing)
    if isRepeated, status.code >= 200 { head = KnownHead(received, fields) }
    return received
  }

  /// Joins fields in their order; those that stood in the same place in the last head are taken over from it.
  private func join(_ lines: [FieldLine]) -> HTTPFields {
    guard lines.allSatisfy(\.isRemembered) else { return HTTPFields(lines.map(\.field)) }
    if lines.count == lastLines.count {
      for index in lines.indices where lines[index] !== lastLines[index] { lastFields[index] = lines[index].field }
    } else {
      lastFields = HTTPFields(lines.map(\.field))
    }
    lastLines = lines
    return lastFields
  }

  /// The length and both ends tell most lines apart.
  private static func slot(_ line: UnsafeRawBufferPointer) -> Int {
    let first = line.loadUnaligned(as: UInt64.self)
    let last = line.loadUnaligned(fromByteOffset: line.count - 8, as: UInt64.self)
    let hash = (first ^ (last &* 31) ^ UInt64(line.count)) &* 0x9E37_79B9_7F4A_7C15
    return Int(hash >> 56)
  }
}
