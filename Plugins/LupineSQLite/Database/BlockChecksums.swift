import LupineSQLiteConnection

/// The checksums of a content, one for each block.
///
/// Each block is checked before a byte of it is returned, also if only a range is read.
struct BlockChecksums: Sendable {
  /// The number of bytes of each block but the last.
  static let blockSize = 64 << 10

  /// The checksums of the blocks that are complete.
  private(set) var complete: [UInt64] = []
  private var current = Checksum()
  private var currentCount = 0

  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let part = rest.prefix(Self.blockSize - currentCount)
      current.update(UnsafeRawBufferPointer(rebasing: part))
      currentCount += part.count
      rest = rest.dropFirst(part.count)
      guard currentCount == Self.blockSize else { continue }
      complete.append(current.value)
      (current, currentCount) = (Checksum(), 0)
    }
  }

  /// The checksums of the blocks so far, eight bytes each.
  var encoded: [UInt8] {
    var bytes: [UInt8] = []
    for value in currentCount == 0 ? complete : complete + [current.value] { bytes.append(bigEndian: value) }
    return bytes
  }

  /// Whether bytes that begin at a block have these checksums.
  ///
  /// - Parameters:
  ///   - block: the number of the first block.
  ///   - encoded: the checksums of the whole content.
  static func verify(_ bytes: [UInt8], from block: Int, _ encoded: [UInt8]) -> Bool {
    var checksums = BlockChecksums()
    bytes.withUnsafeBytes { checksums.update($0) }
    let found = checksums.encoded
    let start = block * 8
    return start + found.count <= encoded.count && encoded[start..<start + found.count] == found[...]
  }
}
