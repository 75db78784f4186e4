import LupineSupport

extension URLParser {
  /// Finds the host, the port and the start of the path (RFC 3986 section 3.2).
  mutating func scanAuthority(_ bytes: Span<UInt8>, from start: Int) throws(URLFault) {
    parts.hostStart = start
    if scanPlainAuthority(bytes, from: start) { return }
    var at: Int?
    var index = start
    scan: while index < bytes.count {
      switch byte(bytes, index) {
      case .slash, .question, .hash: break scan
      case .backslash: throw .backslash(at: index)
      case .at where dropsUserinfo && at == nil: at = index
      case .at: throw .userinfo(at: index)
      case let byte where byte.isControl: throw .control(at: index)
      default: break
      }
      index += 1
    }
    parts.pathStart = index
    if let at { try dropUserinfo(bytes, start..<at) }
    try scanHost(bytes)
    try scanPort(bytes)
  }

  /// Checks the dropped user information for brackets and spaces, with which another parser would find another host.
  private mutating func dropUserinfo(_ bytes: Span<UInt8>, _ userinfo: Range<Int>) throws(URLFault) {
    for index in userinfo {
      switch byte(bytes, index) {
      case .openBracket, .closeBracket, .space: throw .userinfo(at: userinfo.upperBound)
      default: continue
      }
    }
    parts.hostStart = userinfo.upperBound + 1
    isRewritten = true
  }

  private mutating func scanHost(_ bytes: Span<UInt8>) throws(URLFault) {
    let start = parts.hostStart
    if start < parts.pathStart, bytes[start] == .openBracket {
      try scanIPv6(bytes)
      return
    }
    var end = start
    while end < parts.pathStart, byte(bytes, end) != .colon { end += 1 }
    if start == end { throw .emptyHost(at: start) }
    parts.hostEnd = end
    try scanName(bytes, start..<end)
  }

  private mutating func scanIPv6(_ bytes: Span<UInt8>) throws(URLFault) {
    let start = parts.hostStart
    var text = ""
    var index = start + 1
    while index < parts.pathStart, byte(bytes, index) != .closeBracket {
      if bytes[index] == .percent { throw .zone(at: index) }
      guard bytes[index].isHex || bytes[index] == .colon || bytes[index] == .dot else { throw .ipv6(at: start) }
      text.unicodeScalars.append(Unicode.Scalar(bytes[index]))
      index += 1
    }
    if index == parts.pathStart { throw .openBracket(at: start) }
    guard let address = IPAddress(text), address.family == .ipv6 else { throw .ipv6(at: start) }
    let canonical = address.description
    if canonical != text {
      canonicalHost = canonical
      isRewritten = true
    }
    parts.hostKind = .ipv6
    parts.hostEnd = index + 1
  }

  private mutating func scanPort(_ bytes: Span<UInt8>) throws(URLFault) {
    if parts.hostEnd == parts.pathStart { return }
    guard bytes[parts.hostEnd] == .colon else { throw .hostByte(at: parts.hostEnd) }
    let digits = parts.hostEnd + 1..<parts.pathStart
    if digits.count > 5 { throw .port(at: digits.lowerBound) }
    var port = 0
    for index in digits {
      guard byte(bytes, index).isDigit else { throw .port(at: digits.lowerBound) }
      port = port * 10 + Int(bytes[index] - 0x30)
    }
    guard digits.isEmpty || 1...65_535 ~= port else { throw .port(at: digits.lowerBound) }
    if digits.isEmpty || port == parts.scheme.defaultPort || bytes[digits.lowerBound] == 0x30 { isRewritten = true }
    parts.port = port == parts.scheme.defaultPort ? 0 : port
  }
}
