import HTTPTypes
import LupineCore

/// Parses the fields of one part, up to the empty line after them (RFC 2045 section 3, RFC 5322 section 2.2).
struct PartFieldsParser: Sendable {
  enum Rejection: Error {
    case malformed(String)
    case limit(String)
  }

  private let limits: MultipartLimits
  private var line: [UInt8] = []
  private var byteCount = 0
  private var lines: [(name: HTTPField.Name, value: [UInt8])] = []

  init(limits: MultipartLimits) { self.limits = limits }

  /// Consumes lines from the front of the chunk; returns the fields when they are complete.
  mutating func read(_ chunk: inout ArraySlice<UInt8>) throws(Rejection) -> HTTPFields? {
    while !chunk.isEmpty {
      let end = chunk.firstIndex(of: 0x0A).map { $0 + 1 } ?? chunk.endIndex
      let piece = chunk[..<end]
      byteCount += piece.count
      guard byteCount <= limits.fieldBytes else { throw .limit("fieldBytes") }
      line += piece
      chunk = chunk[end...]
      guard piece.last == 0x0A else { return nil }
      guard line.count >= 2, line[line.count - 2] == 0x0D else {
        throw .malformed("with a line that does not end in CRLF")
      }
      line.removeLast(2)
      if line.isEmpty { return HTTPFields(lines.map { Self.field($0) }) }
      try addLine(line)
      line.removeAll(keepingCapacity: true)
    }
    return nil
  }

  private mutating func addLine(_ line: [UInt8]) throws(Rejection) {
    guard line.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
      throw .malformed("with a control byte in its fields")
    }
    // A line that begins with a blank continues the previous line.
    if line[0] == 0x20 || line[0] == 0x09 {
      guard let last = lines.indices.last else { throw .malformed("whose first field begins with a blank") }
      lines[last].value.append(0x20)
      lines[last].value += Self.trimmed(line[...])
      return
    }
    guard lines.count < limits.fields else { throw .limit("fields") }
    guard let colon = line.firstIndex(of: 0x3A),
      let name = HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self))
    else { throw .malformed("with a line that is not a field") }
    lines.append((name, Array(Self.trimmed(line[(colon + 1)...]))))
  }

  private static func field(_ line: (name: HTTPField.Name, value: [UInt8])) -> HTTPField {
    HTTPField(name: line.name, value: String(decoding: line.value, as: UTF8.self))
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
    guard let last = bytes.lastIndex(where: { !isBlank($0) }) else { return [] }
    return bytes[...last].drop(while: isBlank)
  }
}
