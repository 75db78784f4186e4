/// A simple reader of a server's frames, which does not decode fields (RFC 9113 sections 4.1, 6.1 and 6.2).
struct StreamScan {
  struct Stream {
    var content: [UInt8] = []
    /// Whether a complete frame has END_STREAM.
    var hasEnded = false
  }

  private(set) var streams: [Int32: Stream] = [:]
  /// The stream whose fields continue in the next frame, and whether the fields end the stream.
  private var unfinished: (stream: Int32, ends: Bool)?

  init(_ bytes: [UInt8]) {
    var position = 0
    while bytes.count - position >= 9 {
      let header = bytes[position..<(position + 9)].map { Int($0) }
      let length = header[0] << 16 | header[1] << 8 | header[2]
      let stream = Int32(header[5..<9].reduce(0) { $0 << 8 | $1 } & 0x7FFF_FFFF)
      position += 9
      let payload = bytes[position..<min(bytes.count, position + length)]
      position += length
      read(type: header[3], flags: header[4], stream, payload, isWhole: payload.count == length)
    }
  }

  private mutating func read(
    type: Int, flags: Int, _ stream: Int32, _ payload: ArraySlice<UInt8>, isWhole: Bool
  ) {
    switch type {
    case 0: readContent(flags, stream, payload, isWhole)
    case 1 where isWhole:
      unfinished = (stream, flags & 1 != 0)
      endFields(flags)
    case 9 where isWhole: endFields(flags)
    default: break
    }
  }

  private mutating func readContent(_ flags: Int, _ stream: Int32, _ payload: ArraySlice<UInt8>, _ isWhole: Bool) {
    guard streams[stream]?.hasEnded != true else { return }
    var content = payload
    if flags & 8 != 0 {
      let padding = Int(content.popFirst() ?? 0)
      if isWhole { content = content.dropLast(padding) }
    }
    streams[stream, default: Stream()].content += content
    if flags & 1 != 0, isWhole { streams[stream, default: Stream()].hasEnded = true }
  }

  private mutating func endFields(_ flags: Int) {
    guard flags & 4 != 0, let fields = unfinished else { return }
    if fields.ends { streams[fields.stream, default: Stream()].hasEnded = true }
    unfinished = nil
  }
}
