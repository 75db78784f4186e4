/// Reads the challenges of one field value in one pass.
struct ChallengeParser {
  private let bytes: [UInt8]
  private var position = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  mutating func parse() -> [AuthenticationChallenge] {
    var challenges: [AuthenticationChallenge] = []
    while skipSeparators(), let scheme = token() {
      guard let challenge = challenge(scheme) else { break }
      challenges.append(challenge)
    }
    return challenges
  }

  private mutating func challenge(_ scheme: String) -> AuthenticationChallenge? {
    var parameters: [String: String] = [:]
    guard position < bytes.count, bytes[position] == 0x20 else {
      return isAtListEnd ? AuthenticationChallenge(scheme: scheme, parameters: [:], token: nil) : nil
    }
    skipBlanks()
    if let token = token68() { return AuthenticationChallenge(scheme: scheme, parameters: [:], token: token) }
    while true {
      let start = position
      guard let name = token() else { break }
      skipBlanks()
      guard take(0x3D) else {
        position = start
        break
      }
      skipBlanks()
      guard let value = position < bytes.count && bytes[position] == 0x22 ? quoted() : token() else { return nil }
      if parameters[name.lowercased()] == nil { parameters[name.lowercased()] = value }
      guard skipSeparators() else { break }
    }
    return AuthenticationChallenge(scheme: scheme, parameters: parameters, token: nil)
  }

  private var isAtListEnd: Bool { position >= bytes.count || bytes[position] == 0x2C }

  private mutating func skipBlanks() {
    while position < bytes.count, bytes[position] == 0x20 || bytes[position] == 0x09 { position += 1 }
  }

  /// Skips commas and blanks; false at the end.
  private mutating func skipSeparators() -> Bool {
    while position < bytes.count, [0x20, 0x09, 0x2C].contains(bytes[position]) { position += 1 }
    return position < bytes.count
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard position < bytes.count, bytes[position] == byte else { return false }
    position += 1
    return true
  }

  private mutating func token() -> String? {
    let start = position
    while position < bytes.count, Self.isTokenByte(bytes[position]) { position += 1 }
    return position > start ? String(decoding: bytes[start..<position], as: UTF8.self) : nil
  }

  /// A token68 stands alone up to the next comma or the end; otherwise nothing is taken.
  private mutating func token68() -> String? {
    var end = position
    while end < bytes.count, Self.isTokenByte(bytes[end]) || bytes[end] == 0x2F { end += 1 }
    let body = end
    while end < bytes.count, bytes[end] == 0x3D { end += 1 }
    var next = end
    while next < bytes.count, bytes[next] == 0x20 || bytes[next] == 0x09 { next += 1 }
    guard body > position, next >= bytes.count || bytes[next] == 0x2C else { return nil }
    defer { position = next }
    return String(decoding: bytes[position..<end], as: UTF8.self)
  }

  private mutating func quoted() -> String? {
    position += 1
    var value: [UInt8] = []
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if byte == 0x22 { return String(decoding: value, as: UTF8.self) }
      if byte == 0x5C, position < bytes.count {
        value.append(bytes[position])
        position += 1
      } else {
        value.append(byte)
      }
    }
    return nil
  }

  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case 0x21, 0x23, 0x24, 0x25, 0x26, 0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E, 0x5F, 0x60, 0x7C, 0x7E: true
    default: false
    }
  }
}
