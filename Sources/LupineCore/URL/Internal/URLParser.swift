import LupineSupport

/// Parses one URL in a single pass over its bytes.
///
/// A URL in normal form keeps its string; other URLs are written to a new one.
struct URLParser {
  let maximumLength: Int
  var dropsUserinfo = false

  var parts = URLParts()
  /// The canonical form of an IPv6 host, if it differs from the parsed one.
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
