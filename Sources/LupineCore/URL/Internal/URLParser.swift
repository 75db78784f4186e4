import LupineSupport

/// Parses one URL in a single pass over its bytes.
///
/// A URL in normal form keeps its string; other URLs are written to a new one.
struct URLParser {
  let maximumLength: Int
  var dropsUserinfo = false

  var parts = URLParts()
  /// The canonical form of an IPv6 address in brackets, or the ASCII form of a name, if it differs from the parsed host.
  var canonicalHost: String?
  var hasDotSegments = false
  /// Whether the text differs from its normal form.
  var isRewritten = false
  /// The number of bytes read so far, in debug builds.
  ///
  /// Tests compare it with the length of the input.
  private(set) var steps = 0

  init(maximumLength: Int, dropsUserinfo: Bool = false) {
    self.maximumLength = min(maximumLength, Int(Int32.max))
    self.dropsUserinfo = dropsUserinfo
  }

  /// Parses an absolute URL.
  mutating func url(_ string: String) throws(LupineError) -> HTTPURL {
    do throws(URLFault) {
      return try parse(string)
    } catch {
      throw error.error
    }
  }

  private mutating func parse(_ string: String) throws(URLFault) -> HTTPURL {
    let view = string.utf8
    let bytes = view.span
    if bytes.count > maximumLength { throw .tooLong(limit: maximumLength) }
    try scan(bytes)
    guard isRewritten else { return HTTPURL(string: string, parts: parts) }
    var written = parts
    let output = write(bytes, &written)
    if output.count > maximumLength { throw .tooLong(limit: maximumLength) }
    return HTTPURL(string: String(decoding: output, as: UTF8.self), parts: written)
  }

  private mutating func scan(_ bytes: Span<UInt8>) throws(URLFault) {
    if bytes.isEmpty { throw .noScheme }
    if bytes[0] == .space || bytes[bytes.count - 1] == .space { throw .outerSpace }
    let authority = try scanScheme(bytes)
    try scanAuthority(bytes, from: authority)
    try scanTail(bytes)
  }

  /// Returns the position after `://`.
  private mutating func scanScheme(_ bytes: Span<UInt8>) throws(URLFault) -> Int {
    if let plain = URLScheme.plain(bytes) {
      parts.scheme = plain.scheme
      return plain.end
    }
    guard let colon = URLScheme.colon(in: bytes), let scheme = URLScheme.known(bytes, end: colon) else {
      throw URLScheme.fault(bytes, colon: URLScheme.colon(in: bytes))
    }
    for index in 0..<colon where byte(bytes, index).isUpper { isRewritten = true }
    parts.scheme = scheme
    guard colon + 2 < bytes.count, bytes[colon + 1] == .slash, bytes[colon + 2] == .slash else {
      throw .noSlashes(at: colon + 1)
    }
    return colon + 3
  }

  mutating func byte(_ bytes: Span<UInt8>, _ index: Int) -> UInt8 {
    step()
    return bytes[index]
  }

  mutating func step() {
    #if DEBUG
      steps += 1
    #endif
  }
}

/// The positions of a URL's parts in its bytes, with properties found during the scan.
struct URLParts {
  var scheme = HTTPURL.Scheme.https
  var hostKind = HTTPURL.HostKind.name
  /// The position of the host, with brackets.
  var hostStart = 0
  var hostEnd = 0
  /// The port; 0 if there is none or if it is the scheme's default.
  var port = 0
  var pathStart = 0
  var pathEnd = 0
  var queryEnd = 0
}

/// The treatment of a byte after the authority of a URL.
enum URLByteRule {
  case keep
  case encode
  case control
  case percent
  case dot
  case question
  case hash
  case backslash

  /// Returns the rule for a byte.
  ///
  /// The compiler turns the switch into a table.
  init(_ byte: UInt8) {
    switch byte {
    case 0x00...0x1F, 0x7F: self = .control
    // Space, double quote, angle brackets, circumflex, backtick, braces, vertical bar and non-ASCII bytes.
    case 0x20, 0x22, 0x3C, 0x3E, 0x5E, 0x60, 0x7B...0x7D, 0x80...0xFF: self = .encode
    case 0x23: self = .hash
    case 0x25: self = .percent
    case 0x2E: self = .dot
    case 0x3F: self = .question
    case 0x5C: self = .backslash
    default: self = .keep
    }
  }
}

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
      output.append(contentsOf: canonicalHost.utf8)
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
