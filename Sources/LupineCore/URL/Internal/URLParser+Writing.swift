import LupineSupport

extension URLParser {
  /// Writes the scanned URL in its normal form and adapts the offsets in `parts`.
  mutating func write(_ bytes: Span<UInt8>, _ written: inout URLParts) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count + 16)
    output.append(contentsOf: parts.scheme.rawValue.utf8)
    output.append(contentsOf: [.colon, .slash, .slash])
    written.hostStart = output.count
    writeHost(bytes, to: &output)
    written.hostEnd = output.count
    if parts.port != 0 { output.append(contentsOf: ":\(parts.port)".utf8) }
    written.pathStart = output.count
    writePath(bytes, to: &output)
    written.pathEnd = output.count
    writeEncoded(bytes, parts.pathEnd..<parts.queryEnd, to: &output)
    written.queryEnd = output.count
    if parts.queryEnd < bytes.count {
      output.append(.hash)
      writeEncoded(bytes, parts.queryEnd + 1..<bytes.count, to: &output, encodesHash: true)
    }
    return output
  }

  private mutating func writeHost(_ bytes: Span<UInt8>, to output: inout [UInt8]) {
    if let canonicalHost {
      output.append(.openBracket)
      output.append(contentsOf: canonicalHost.utf8)
      output.append(.closeBracket)
      return
    }
    for index in parts.hostStart..<parts.hostEnd {
      let byte = byte(bytes, index)
      output.append(byte.isUpper ? byte | 0x20 : byte)
    }
  }

  private mutating func writePath(_ bytes: Span<UInt8>, to output: inout [UInt8]) {
    if parts.pathStart == parts.pathEnd {
      output.append(.slash)
    } else if hasDotSegments {
      writeSegments(bytes, to: &output)
    } else {
      writeEncoded(bytes, parts.pathStart..<parts.pathEnd, to: &output)
    }
  }

  /// Removes dot segments (RFC 3986 section 5.2.4).
  ///
  /// Each byte is written once and removed at most once.
  private mutating func writeSegments(_ bytes: Span<UInt8>, to output: inout [UInt8]) {
    let root = output.count
    var slash = parts.pathStart
    while slash < parts.pathEnd {
      var end = slash + 1
      while end < parts.pathEnd, byte(bytes, end) != .slash { end += 1 }
      let dots = DotSegments.dots(bytes, slash + 1..<end)
      if dots == 2 { removeSegment(from: &output, downTo: root) }
      if dots == nil {
        writeEncoded(bytes, slash..<end, to: &output)
      } else if end == parts.pathEnd {
        output.append(.slash)
      }
      slash = end
    }
  }

  private mutating func removeSegment(from output: inout [UInt8], downTo root: Int) {
    while output.count > root {
      step()
      if output.removeLast() == .slash { return }
    }
  }

  private mutating func writeEncoded(
    _ bytes: Span<UInt8>, _ range: Range<Int>, to output: inout [UInt8], encodesHash: Bool = false
  ) {
    for index in range {
      let byte = byte(bytes, index)
      switch URLByteRule(byte) {
      case .encode, .backslash: PercentCoding.append(byte, to: &output)
      case .hash where encodesHash: PercentCoding.append(byte, to: &output)
      default: output.append(byte)
      }
    }
  }
}
