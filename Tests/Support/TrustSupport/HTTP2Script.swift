/// Frames of HTTP/2 (RFC 9113 section 4.1), from which tests make the answer to the first request of a connection.
package enum HTTP2Script {
  package static func frame(
    _ type: UInt8, flags: UInt8 = 0, stream: UInt8 = 0, _ payload: [UInt8] = []
  ) -> [UInt8] {
    [0, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF), type, flags, 0, 0, 0, stream] + payload
  }

  /// An empty SETTINGS frame, and the acknowledgement of the client's SETTINGS frame.
  package static let greeting = frame(4) + frame(4, flags: 1)

  /// A HEADERS frame with a status of the static table (RFC 7541 appendix A) and an optional Content-Length of one
  /// digit.
  package static func head(
    _ stream: UInt8 = 1, status: Int = 200, length: Int? = nil, ends: Bool = false
  ) -> [UInt8] {
    let statuses: [Int: UInt8] = [200: 0x88, 204: 0x89, 304: 0x8B]
    var block = [statuses[status] ?? 0x88]
    if let length { block += [0x0F, 0x0D, 1, UInt8(0x30 + length)] }
    return frame(1, flags: ends ? 5 : 4, stream: stream, block)
  }

  package static func data(_ text: String, stream: UInt8 = 1, ends: Bool = false) -> [UInt8] {
    frame(0, flags: ends ? 1 : 0, stream: stream, Array(text.utf8))
  }

  /// Bytes that break the connection in the middle of a body, by name.
  package static let breaks: [String: [UInt8]] = [
    "DATA on an idle stream": frame(0, stream: 7, [0x78]),
    "padding longer than its frame": frame(0, flags: 8, stream: 1, [200, 0x78]),
    "garbage": Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8),
    "a window overflow": frame(8, [0x7F, 0xFF, 0xFF, 0xFF]),
    "bad SETTINGS": frame(4, [0, 2, 0, 0, 0, 7]),
    "PUSH_PROMISE": frame(5, flags: 4, stream: 1, [0, 0, 0, 2, 0x82, 0x86, 0x84]),
    "an oversized frame": [0, 0x40, 1, 0, 0, 0, 0, 0, 1],
  ]
}
