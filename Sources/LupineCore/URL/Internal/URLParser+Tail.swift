import LupineSupport

extension URLParser {
  /// The parts after the authority.
  ///
  /// Each ends at the delimiter of the next one.
  enum Part {
    case path
    case query
    case fragment
  }

  /// Finds the path, query and fragment and checks their bytes (RFC 3986 sections 3.3 to 3.5).
  mutating func scanTail(_ bytes: Span<UInt8>) throws(URLFault) {
    parts.pathEnd = try scan(bytes, from: parts.pathStart, as: .path)
    if parts.pathEnd == parts.pathStart { isRewritten = true }
    parts.queryEnd = parts.pathEnd
    if parts.pathEnd < bytes.count, bytes[parts.pathEnd] == .question {
      parts.queryEnd = try scan(bytes, from: parts.pathEnd + 1, as: .query)
    }
    if parts.queryEnd < bytes.count {
      _ = try scan(bytes, from: parts.queryEnd + 1, as: .fragment)
    }
  }

  private mutating func scan(_ bytes: Span<UInt8>, from start: Int, as part: Part) throws(URLFault) -> Int {
    var index = start
    while index < bytes.count {
      let byte = byte(bytes, index)
      // Most bytes match here and need no table.
      if byte.isLetter || byte.isDigit || byte == .slash {
        index += 1
        continue
      }
      switch URLByteRule(byte) {
      case .keep: break
      case .encode: isRewritten = true
      case .control: throw .control(at: index)
      case .dot: noteDot(bytes, at: index, from: start, in: part)
      case .question where part == .path: return index
      case .question: break
      case .hash where part != .fragment: return index
      case .backslash where part != .fragment: throw .backslash(at: index)
      case .hash, .backslash: isRewritten = true
      case .percent:
        try checkEscape(bytes, at: index)
        if DotSegments.isEncodedDot(bytes, at: index) { noteDot(bytes, at: index, from: start, in: part) }
        index += 2
      }
      index += 1
    }
    return index
  }

  /// Notes a possible dot segment at the start of a segment.
  ///
  /// The writer checks it.
  private mutating func noteDot(_ bytes: Span<UInt8>, at index: Int, from start: Int, in part: Part) {
    guard part == .path, index > start, bytes[index - 1] == .slash else { return }
    hasDotSegments = true
    isRewritten = true
  }

  private func checkEscape(_ bytes: Span<UInt8>, at index: Int) throws(URLFault) {
    guard index + 2 < bytes.count, bytes[index + 1].isHex, bytes[index + 2].isHex else { throw .badPercent(at: index) }
  }
}
