import LupineEventLoop

/// The received bytes that OpenSSL has not read; OpenSSL gets them record by record.
///
/// So the channel decides before each record whether OpenSSL may process the record in this turn.
struct RecordFeed {
  /// The number of bytes that are received at once; a record has at most 16 KiB of content.
  private static let size = 32 << 10
  /// The size of a record's header (RFC 8446 section 5.1).
  private static let headerSize = 5

  private var bytes: [UInt8] = []
  /// The number of bytes that OpenSSL has read.
  private var position = 0
  /// The number of bytes of the present record that OpenSSL has not read.
  private var left = 0

  private var available: Int { bytes.count - position }

  /// Whether OpenSSL has read every record that has begun.
  var isBetweenRecords: Bool { left == 0 && available == 0 }

  /// Begins the next record; false if its header has not arrived or the present record is not finished.
  mutating func beginRecord() -> Bool {
    guard left == 0, available >= Self.headerSize else { return false }
    left = Self.headerSize + (Int(bytes[position + 3]) << 8 | Int(bytes[position + 4]))
    return true
  }

  /// Moves bytes of the present record into the front of a buffer, and returns their number.
  mutating func take(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let count = min(buffer.count, left, available)
    guard count > 0 else { return 0 }
    buffer.copyBytes(from: bytes[position..<(position + count)])
    position += count
    left -= count
    if available == 0 {
      bytes = []
      position = 0
    }
    return count
  }

  /// Receives more bytes behind those that are available.
  mutating func fill(from channel: any Channel) -> SocketResult {
    let rest = bytes[position...]
    var result = SocketResult.wouldBlock
    let filled = [UInt8](unsafeUninitializedCapacity: Self.size) { buffer, count in
      let memory = UnsafeMutableRawBufferPointer(buffer)
      memory.copyBytes(from: rest)
      count = rest.count
      result = channel.receive(into: UnsafeMutableRawBufferPointer(rebasing: memory[count...]))
      if case .bytes(let received) = result { count += received }
    }
    bytes = filled
    position = 0
    return result
  }
}
