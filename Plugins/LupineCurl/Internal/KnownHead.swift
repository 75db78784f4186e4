import Glibc

/// A head that came twice in a row, by whose lines it is known again as they arrive.
///
/// It was accepted once, so that none of its lines has to be read again. It holds no cookie.
final class KnownHead {
  let head: ReceivedHead
  let fieldCount: Int
  /// All its lines in their order, with their ends; the last one is empty.
  private let bytes: [UInt8]
  /// Where each line ends in the bytes.
  private let ends: [Int]

  init(_ head: ReceivedHead, _ fields: [FieldLine]) {
    self.head = head
    fieldCount = fields.count
    let lines = ([head.line.bytes] + fields.map(\.bytes) + [[]]).map { $0 + [0x0D, 0x0A] }
    bytes = Array(lines.joined())
    ends = lines.indices.map { lines[...$0].reduce(0) { $0 + $1.count } }
  }

  /// Its length in bytes.
  var size: Int { bytes.count }
  var lineCount: Int { ends.count }

  /// Whether a line with its end is the one at that place.
  func has(_ line: UnsafeRawBufferPointer, at index: Int) -> Bool {
    let start = start(of: index)
    guard let base = line.baseAddress, ends[index] - start == line.count else { return false }
    return bytes.withUnsafeBytes { bytes in
      bytes.baseAddress.map { memcmp($0 + start, base, line.count) == 0 } ?? false
    }
  }

  /// The first lines, one after the other.
  func lines(before index: Int) -> [ArraySlice<UInt8>] {
    (0..<index).map { bytes[start(of: $0)..<ends[$0]] }
  }

  private func start(of index: Int) -> Int { index == 0 ? 0 : ends[index - 1] }
}
