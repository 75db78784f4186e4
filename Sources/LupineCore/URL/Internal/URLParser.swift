import LupineSupport

/// Parses one URL in a single pass over its bytes.
///
/// A URL that is normal already, as most are, keeps its string; only others are written anew.
struct URLParser {
  let maximumLength: Int
  var dropsUserinfo = false

  var parts = URLParts()
  /// The canonical spelling of an IPv6 host, when the written one differs.
  var canonicalHost: String?
  var hasDotSegments = false
  /// Whether the text differs from its normal form.
  var isRewritten = false
  /// Bytes looked at so far, in debug builds: what the tests hold against the length of the input.
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

  /// Returns the place behind `://`.
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

/// Where the parts of a URL lie in its bytes, and what a glance at them told.
struct URLParts {
  var scheme = HTTPURL.Scheme.https
  var hostKind = HTTPURL.HostKind.name
  /// Brackets included.
  var hostStart = 0
  var hostEnd = 0
  /// 0 when there is none or it is the scheme's default.
  var port = 0
  var pathStart = 0
  var pathEnd = 0
  var queryEnd = 0
}

/// What becomes of a byte behind the authority of a URL.
enum URLByteRule {
  case keep
  case encode
  case control
  case percent
  case dot
  case question
  case hash
  case backslash

  /// The rule for a byte; the compiler makes a table of it.
  init(_ byte: UInt8) {
    switch byte {
    case 0x00...0x1F, 0x7F: self = .control
    // The space, double quote, angle brackets, circumflex, backtick and braces with the bar, and what is not ASCII.
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
