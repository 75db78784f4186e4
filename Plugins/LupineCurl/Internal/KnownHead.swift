import Glibc

/// A head that arrived twice in a row, and whose bytes the following heads are compared with.
///
/// The head has been accepted, so an equal head is not parsed again. It contains no cookie.
final class KnownHead {
  let head: ReceivedHead
  let fieldCount: Int
  /// All lines in their order, with their line ends; the last line is empty.
  private let bytes: [UInt8]

  init(_ head: ReceivedHead, _ fields: [FieldLine]) {
    self.head = head
    fieldCount = fields.count
    let lines = [head.line.bytes] + fields.map(\.bytes) + [[]]
    bytes = lines.flatMap { $0 + [0x0D, 0x0A] }
  }

  /// The length in bytes.
  var size: Int { bytes.count }

  /// Whether the bytes at an offset equal this line, including its line end.
  ///
  /// The offset must be the start of a line. Only a line end contains a line feed.
  func has(_ line: UnsafeRawBufferPointer, at start: Int) -> Bool {
    guard let base = line.baseAddress, line.count <= bytes.count - start, line.last == 0x0A else { return false }
    return bytes.withUnsafeBytes { bytes in
      bytes.baseAddress.map { memcmp($0 + start, base, line.count) == 0 } ?? false
    }
  }

  /// The lines before an offset, each with its line end.
  func lines(before end: Int) -> [ArraySlice<UInt8>] {
    bytes[..<end].split(separator: 0x0A).map { $0.startIndex..<($0.endIndex + 1) }.map { bytes[$0] }
  }
}
