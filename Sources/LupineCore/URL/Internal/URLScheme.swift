import LupineSupport

/// Parses the scheme of a URL or reference (RFC 3986 section 3.1).
enum URLScheme {
  /// Returns the position of the first colon in the first segment; `nil` for a reference without one.
  static func colon(in bytes: Span<UInt8>) -> Int? {
    for index in bytes.indices {
      switch bytes[index] {
      case .colon: return index
      case .slash, .question, .hash: return nil
      default: continue
      }
    }
    return nil
  }

  /// Returns the scheme and the position after it if the URL begins with `https://` or `http://` in lower case.
  static func plain(_ bytes: Span<UInt8>) -> (scheme: HTTPURL.Scheme, end: Int)? {
    guard bytes.count >= 8, bytes[0] == 0x68, bytes[1] == 0x74, bytes[2] == 0x74, bytes[3] == 0x70 else { return nil }
    let colon = bytes[4] == 0x73 ? 5 : 4
    guard bytes[colon] == .colon, bytes[colon + 1] == .slash, bytes[colon + 2] == .slash else { return nil }
    return (colon == 5 ? .https : .http, colon + 3)
  }

  /// Returns the scheme that the bytes before `end` spell, in any case.
  static func known(_ bytes: Span<UInt8>, end: Int) -> HTTPURL.Scheme? {
    guard end == 4 || end == 5 else { return nil }
    let isHTTP =
      bytes[0] | 0x20 == 0x68 && bytes[1] | 0x20 == 0x74 && bytes[2] | 0x20 == 0x74 && bytes[3] | 0x20 == 0x70
    guard isHTTP else { return nil }
    if end == 4 { return .http }
    return bytes[4] | 0x20 == 0x73 ? .https : nil
  }

  /// Returns the reason why the bytes before `colon` are not a supported scheme.
  static func fault(_ bytes: Span<UInt8>, colon: Int?) -> URLFault {
    let end = colon ?? bytes.count
    for index in 0..<end where bytes[index].isControl { return .control(at: index) }
    guard let colon else { return .noScheme }
    return .scheme(isNameable(bytes, colon: colon) ? text(bytes, end: colon) : nil)
  }

  /// Whether the scheme can be shown: it matches the grammar and is not the user name of `user:password@host`.
  private static func isNameable(_ bytes: Span<UInt8>, colon: Int) -> Bool {
    guard 1...24 ~= colon, bytes[0].isLetter else { return false }
    for index in 0..<colon {
      let byte = bytes[index]
      guard byte.isLetter || byte.isDigit || byte == 0x2B || byte == 0x2D || byte == .dot else { return false }
    }
    if colon + 2 < bytes.count, bytes[colon + 1] == .slash, bytes[colon + 2] == .slash { return true }
    for index in colon..<bytes.count where bytes[index] == .at { return false }
    return true
  }

  private static func text(_ bytes: Span<UInt8>, end: Int) -> String {
    var text = ""
    for index in 0..<end { text.unicodeScalars.append(Unicode.Scalar(bytes[index])) }
    return text
  }
}

/// Detects the path segments `.` and `..`, percent-encoded or not (RFC 3986 section 5.2.4).
enum DotSegments {
  /// Returns the number of dots in a dot segment, 1 or 2; `nil` for an ordinary segment.
  static func dots(_ bytes: Span<UInt8>, _ segment: Range<Int>) -> Int? {
    var index = segment.lowerBound
    var dots = 0
    while index < segment.upperBound, dots < 3 {
      if bytes[index] == .dot {
        index += 1
      } else if index + 2 < segment.upperBound, isEncodedDot(bytes, at: index) {
        index += 3
      } else {
        return nil
      }
      dots += 1
    }
    return 1...2 ~= dots ? dots : nil
  }

  /// Whether `%2e` in either case is at `index`, which must have two bytes after it.
  static func isEncodedDot(_ bytes: Span<UInt8>, at index: Int) -> Bool {
    bytes[index] == .percent && bytes[index + 1] == 0x32 && bytes[index + 2] | 0x20 == 0x65
  }

  /// Whether `..` leads a relative path above its start at any point.
  static func climb(_ reference: Substring) -> Bool {
    let view = reference.utf8
    let bytes = view.span
    var depth = 0
    var start = 0
    for index in 0...bytes.count {
      let ends = index == bytes.count || bytes[index] == .question || bytes[index] == .hash
      guard ends || bytes[index] == .slash else { continue }
      switch dots(bytes, start..<index) {
      case 1: break
      case 2: depth -= 1
      default: depth += 1
      }
      if depth < 0 { return true }
      if ends { return false }
      start = index + 1
    }
    return false
  }
}
