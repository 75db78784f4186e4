/// Finds the headers of the frames in the bytes of a connection (RFC 9113 section 4.1).
///
/// nghttp2 does not report every frame: it skips those of unknown types. It also counts a CONTINUATION frame once for
/// each piece of its header. The scanner therefore keeps a header until it is complete.
struct FrameScanner {
  /// A frame whose header is complete.
  struct Header {
    let length: Int
    let type: UInt8
    /// The bytes of the header if they arrived in several pieces.
    let bytes: [UInt8]?
  }

  /// The number of bytes of a header.
  static let size = 9

  /// The bytes of a header whose rest has not arrived; they end the piece.
  private(set) var partial: [UInt8] = []
  /// The number of payload bytes that belong to the last frame and have not arrived.
  private var payload = 0
  /// Whether a part of a frame has arrived, and the rest has not.
  var isInFrame: Bool { payload > 0 || !partial.isEmpty }

  /// Returns the next header in the piece, and moves `position` past it; `nil` at the end of the piece.
  mutating func next(in piece: UnsafeRawBufferPointer, from position: inout Int) -> Header? {
    let count = min(payload, piece.count - position)
    payload -= count
    position += count
    guard position < piece.count else { return nil }
    guard partial.isEmpty, piece.count - position >= Self.size else { return complete(in: piece, from: &position) }
    let header = UnsafeRawBufferPointer(rebasing: piece[position..<(position + Self.size)])
    position += Self.size
    return begin(header[0], header[1], header[2], type: header[3], nil)
  }

  /// Adds bytes to the header of which a part has arrived.
  private mutating func complete(in piece: UnsafeRawBufferPointer, from position: inout Int) -> Header? {
    let end = min(piece.count, position + Self.size - partial.count)
    partial += piece[position..<end]
    position = end
    guard partial.count == Self.size else { return nil }
    let header = partial
    partial = []
    return begin(header[0], header[1], header[2], type: header[3], header)
  }

  private mutating func begin(
    _ high: UInt8, _ middle: UInt8, _ low: UInt8, type: UInt8, _ bytes: [UInt8]?
  ) -> Header {
    payload = Int(high) << 16 | Int(middle) << 8 | Int(low)
    return Header(length: payload, type: type, bytes: bytes)
  }
}
