import Glibc

/// A head that came twice in a row, by whose lines it is known again as they arrive.
///
/// It was accepted once, so that none of its lines has to be read again. It holds no cookie.
final class KnownHead {
  let head: ReceivedHead
  let fieldCount: Int
  /// All its lines in their order, with their ends; the last one is empty.
  private let bytes: [UInt8]

  init(_ head: ReceivedHead, _ fields: [FieldLine]) {
    self.head = head
    fieldCount = fields.count
    let lines = [head.line.bytes] + fields.map(\.bytes) + [[]]
    bytes = lines.flatMap { $0 + [0x0D, 0x0A] }
  }

  /// Its length in bytes.
  var size: Int { bytes.count }

  /// Whether a line with its end is the one that begins there, where a line does; none holds a line feed but as its end.
  func has(_ line: UnsafeRawBufferPointer, at start: Int) -> Bool {
    guard let base = line.baseAddress, line.count <= bytes.count - start, line.last == 0x0A else { return false }
    return bytes.withUnsafeBytes { bytes in
      bytes.baseAddress.map { memcmp($0 + start, base, line.count) == 0 } ?? false
    }
  }

  /// The lines before the one that begins there, with their ends, one after the other.
  func lines(before end: Int) -> [ArraySlice<UInt8>] {
    bytes[..<end].split(separator: 0x0A).map { $0.startIndex..<($0.endIndex + 1) }.map { bytes[$0] }
  }
}
