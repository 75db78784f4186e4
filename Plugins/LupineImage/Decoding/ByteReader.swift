/// Reads numbers from bytes, and returns `nil` for those beyond the end.
struct ByteReader {
  private let bytes: UnsafeRawBufferPointer
  /// Whether the least significant byte comes first.
  var isLittleEndian: Bool

  init(_ bytes: UnsafeRawBufferPointer, isLittleEndian: Bool = false) {
    self.bytes = bytes
    self.isLittleEndian = isLittleEndian
  }

  var count: Int { bytes.count }

  func byte(at offset: Int) -> UInt8? { bytes.indices.contains(offset) ? bytes[offset] : nil }

  func uint16(at offset: Int) -> Int? { number(at: offset, count: 2) }

  func uint32(at offset: Int) -> Int? { number(at: offset, count: 4) }

  func hasText(_ text: StaticString, at offset: Int) -> Bool {
    guard let part = slice(at: offset, count: text.utf8CodeUnitCount) else { return false }
    return text.withUTF8Buffer { part.elementsEqual($0) }
  }

  /// The bytes of a part; `nil` if it is not within the bytes.
  func slice(at offset: Int, count: Int) -> UnsafeRawBufferPointer? {
    guard offset >= 0, count >= 0, offset <= bytes.count, count <= bytes.count - offset else { return nil }
    return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
  }

  private func number(at offset: Int, count: Int) -> Int? {
    guard let part = slice(at: offset, count: count) else { return nil }
    return isLittleEndian
      ? part.reversed().reduce(0) { $0 << 8 | Int($1) } : part.reduce(0) { $0 << 8 | Int($1) }
  }
}
