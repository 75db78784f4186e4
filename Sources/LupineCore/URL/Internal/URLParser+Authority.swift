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
    if let index = (start..<end).first(where: { bytes[$0] >= 0x80 }) {
      try convertName(bytes, start..<end, from: index)
    } else {
      try scanName(bytes, start..<end)
    }
  }

  /// Converts a name that is not ASCII from this byte on, and checks the result like any other name.
  private mutating func convertName(_ bytes: Span<UInt8>, _ host: Range<Int>, from index: Int) throws(URLFault) {
    guard let converter = HostNames.converter else { throw .hostNotASCII(at: index) }
    guard let name = String(validating: host.map { bytes[$0] }, as: UTF8.self) else { throw .hostByte(at: index) }
    let converted: String
    do throws(HostNameFault) {
      converted = try converter.asciiName(of: name)
    } catch {
      throw .hostName(at: index, error.reason)
    }
    let view = converted.utf8
    do throws(URLFault) {
      if view.isEmpty { throw .emptyHost(at: index) }
      try scanName(view.span, 0..<view.count)
    } catch {
      throw .hostName(at: index, "its ASCII form, \"\(converted.prefix(300))\", is not a name of a host")
    }
    canonicalHost = converted.lowercased()
    isRewritten = true
  }

  private mutating func scanIPv6(_ bytes: Span<UInt8>) throws(URLFault) {
    let start = parts.hostStart
    var text = ""
    var index = start + 1
    while index < parts.pathStart, byte(bytes, index) != .closeBracket {
      if bytes[index] == .percent { return try scanZone(bytes, from: index, of: text) }
      guard bytes[index].isHex || bytes[index] == .colon || bytes[index] == .dot else { throw .ipv6(at: start) }
      text.unicodeScalars.append(Unicode.Scalar(bytes[index]))
      index += 1
    }
    if index == parts.pathStart { throw .openBracket(at: start) }
    guard let address = IPAddress(text), address.family == .ipv6 else { throw .ipv6(at: start) }
    let canonical = address.description
    if canonical != text {
      canonicalHost = "[\(canonical)]"
      isRewritten = true
    }
    parts.hostKind = .ipv6
    parts.hostEnd = index + 1
  }

  /// Finds the zone of a link-local address, after `%25` (RFC 6874 section 2).
  private mutating func scanZone(_ bytes: Span<UInt8>, from percent: Int, of text: String) throws(URLFault) {
    guard percent + 2 < parts.pathStart, bytes[percent + 1] == 0x32, bytes[percent + 2] == 0x35 else {
      throw .zone(at: percent)
    }
    var zone = ""
    var index = percent + 3
    while index < parts.pathStart, byte(bytes, index) != .closeBracket {
      zone.unicodeScalars.append(Unicode.Scalar(bytes[index]))
      index += 1
    }
    if index == parts.pathStart { throw .openBracket(at: parts.hostStart) }
    guard let address = IPAddress(text, zone: zone[...]) else { throw .zone(at: percent) }
    canonicalHost = "[\("\(address)".replacing("%", with: "%25"))]"
    isRewritten = true
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

extension URLParser {
  /// Parses a common authority in one step: a name or an IPv4 address in normal form, an optional port, and a path.
  ///
  /// - Returns: false for anything else, valid or not; the parser's state is then unchanged.
  mutating func scanPlainAuthority(_ bytes: Span<UInt8>, from start: Int) -> Bool {
    var index = start
    var label = start
    scan: while index < bytes.count {
      let byte = byte(bytes, index)
      if !byte.isPlainInHost {
        switch byte {
        case .dot where 1...63 ~= index - label: label = index + 1
        case .slash, .colon: break scan
        default: return false
        }
      }
      index += 1
    }
    guard index < bytes.count, 1...63 ~= index - label, index - start <= 253 else { return false }
    // A last label that begins with a letter is not a number, so the host is a name and not an address.
    let isName = bytes[label].isLetter
    guard isName || isIPv4(bytes, start..<index) else { return false }
    let (pathStart, port) = plainPort(bytes, from: index)
    guard let port else { return false }
    parts.hostKind = isName ? .name : .ipv4
    parts.hostEnd = index
    parts.port = port
    parts.pathStart = pathStart
    return true
  }

  /// Returns the port in normal form after the colon, 0 if there is none, and the start of the path.
  ///
  /// The port is `nil` if the port or the path has another form.
  private func plainPort(_ bytes: Span<UInt8>, from colon: Int) -> (pathStart: Int, port: Int?) {
    if bytes[colon] == .slash { return (colon, 0) }
    var index = colon + 1
    var port = 0
    while index < bytes.count, index - colon <= 5, bytes[index].isDigit {
      port = port * 10 + Int(bytes[index] - 0x30)
      index += 1
    }
    guard index < bytes.count, bytes[index] == .slash, bytes[colon + 1] != 0x30, 1...65_535 ~= port,
      port != parts.scheme.defaultPort
    else { return (index, nil) }
    return (index, port)
  }

  /// Checks a host name: labels of 1 to 63 bytes, 253 bytes in total, one optional trailing dot (RFC 1035 section
  /// 2.3.4).
  mutating func scanName(_ bytes: Span<UInt8>, _ host: Range<Int>) throws(URLFault) {
    var label = host.lowerBound..<host.lowerBound
    var start = host.lowerBound
    for index in host {
      guard byte(bytes, index) == .dot else {
        try checkNameByte(bytes[index], at: index)
        continue
      }
      label = start..<index
      try check(label)
      start = index + 1
    }
    let hasTrailingDot = start == host.upperBound
    if !hasTrailingDot {
      label = start..<host.upperBound
      try check(label)
    }
    if host.count - (hasTrailingDot ? 1 : 0) > 253 { throw .longHost(at: host.lowerBound) }
    if isNumber(bytes, label) {
      guard isIPv4(bytes, host) else { throw .ipv4(at: host.lowerBound) }
      parts.hostKind = .ipv4
    }
  }

  private mutating func checkNameByte(_ byte: UInt8, at index: Int) throws(URLFault) {
    switch byte {
    case 0x61...0x7A, 0x30...0x39, 0x2D, 0x5F: break
    case 0x41...0x5A: isRewritten = true
    case .percent: throw .hostPercent(at: index)
    case .space: throw .hostSpace(at: index)
    case 0x80...: throw .hostNotASCII(at: index)
    default: throw .hostByte(at: index)
    }
  }

  private func check(_ label: Range<Int>) throws(URLFault) {
    if label.isEmpty { throw .emptyLabel(at: label.lowerBound) }
    if label.count > 63 { throw .longLabel(at: label.lowerBound) }
  }

  /// Whether a resolver may parse the label as a number, and so the host as an address: `7`, `017`, `0x7f`, `0x`.
  private func isNumber(_ bytes: Span<UInt8>, _ label: Range<Int>) -> Bool {
    let start = label.lowerBound
    let isHex = label.count > 1 && bytes[start] == 0x30 && bytes[start + 1] | 0x20 == 0x78
    let digits = isHex ? start + 2..<label.upperBound : label
    return digits.allSatisfy { isHex ? bytes[$0].isHex : bytes[$0].isDigit }
  }

  /// Whether the host consists of four decimal numbers from 0 to 255, without leading zeros.
  private func isIPv4(_ bytes: Span<UInt8>, _ host: Range<Int>) -> Bool {
    var (dots, digits, value) = (0, 0, 0)
    for index in host {
      let byte = bytes[index]
      if byte == .dot {
        guard digits > 0 else { return false }
        (dots, digits, value) = (dots + 1, 0, 0)
      } else {
        guard byte.isDigit, digits == 0 || value > 0 else { return false }
        (digits, value) = (digits + 1, value * 10 + Int(byte - 0x30))
        guard value < 256 else { return false }
      }
    }
    return dots == 3 && digits > 0
  }
}
