/// Frames of HTTP/2 (RFC 9113 section 4.1) with small payloads.
enum HTTP2Frames {
  /// The type of HEADERS.
  static let headers: UInt8 = 1
  /// Empty SETTINGS, and the acknowledgement of the client's.
  static let settings = frame(4) + frame(4, flags: 1)
  /// HEADERS of the first stream with the status 200, without END_STREAM.
  static let head = frame(headers, flags: 4, stream: 1, [0x88])

  /// DATA of the first stream.
  static func data(_ text: String, ends: Bool) -> [UInt8] {
    frame(0, flags: ends ? 1 : 0, stream: 1, Array(text.utf8))
  }

  /// A frame with a payload of less than 256 bytes.
  static func frame(_ type: UInt8, flags: UInt8 = 0, stream: UInt8 = 0, _ payload: [UInt8] = []) -> [UInt8] {
    [0, 0, UInt8(payload.count), type, flags, 0, 0, 0, stream] + payload
  }
}
