import FoundationEssentials

/// The value of a `Set-Cookie` field, taken apart (RFC 6265bis section 5.6).
struct SetCookie {
  /// The most bytes of a name and a value together.
  static let maximumSize = 4_096
  /// The most bytes of an attribute's value; a longer one is passed over.
  static let maximumAttributeSize = 1_024

  let name: String
  let value: String
  private(set) var domain: String?
  private(set) var path: String?
  private(set) var expires: Date?
  /// Seconds from now; far away where the server's number is too great.
  private(set) var maxAge: Double?
  private(set) var isSecure = false
  private(set) var isHTTPOnly = false
  private(set) var sameSite: Cookie.SameSite?

  /// Takes a field apart; `nil` for one that is empty, too long, or has a control byte.
  init?(_ field: String) {
    let bytes = Array(field.utf8)
    guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else { return nil }
    let parts = bytes.split(separator: 0x3B, omittingEmptySubsequences: false)
    let (front, back) = Self.halves(parts.first ?? [])
    // Without `=` the whole is a value without a name.
    let (name, value) = back.map { (front, $0) } ?? ([], front)
    guard !name.isEmpty || !value.isEmpty, name.count + value.count <= Self.maximumSize else { return nil }
    self.name = String(decoding: name, as: UTF8.self)
    self.value = String(decoding: value, as: UTF8.self)
    for part in parts.dropFirst() { take(part) }
  }

  /// What stands before and after the first `=`, without blanks at the ends.
  private static func halves(_ part: ArraySlice<UInt8>) -> (ArraySlice<UInt8>, ArraySlice<UInt8>?) {
    guard let equals = part.firstIndex(of: 0x3D) else { return (trimmed(part), nil) }
    return (trimmed(part[..<equals]), trimmed(part[part.index(after: equals)...]))
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
    guard let last = bytes.lastIndex(where: { !isBlank($0) }) else { return [] }
    return bytes[...last].drop(while: isBlank)
  }

  private mutating func take(_ part: ArraySlice<UInt8>) {
    let (name, half) = Self.halves(part)
    let bytes = half ?? []
    guard bytes.count <= Self.maximumAttributeSize else { return }
    let value = String(decoding: bytes, as: UTF8.self)
    switch String(decoding: name, as: UTF8.self).lowercased() {
    case "expires": if let date = CookieDate.parse(value) { expires = date }
    case "max-age": if let seconds = Self.seconds(bytes) { maxAge = seconds }
    case "domain": domain = (value.hasPrefix(".") ? String(value.dropFirst()) : value).lowercased()
    case "path": path = value
    case "secure": isSecure = true
    case "httponly": isHTTPOnly = true
    case "samesite": sameSite = Cookie.SameSite(rawValue: value.lowercased())
    default: break
    }
  }

  /// A whole number of any length, as a floating-point one, which cannot overflow into the past.
  private static func seconds(_ bytes: ArraySlice<UInt8>) -> Double? {
    let isNegative = bytes.first == 0x2D
    let digits = isNegative ? bytes.dropFirst() : bytes
    guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    let number = digits.reduce(0.0) { $0 * 10 + Double($1 - 0x30) }
    return isNegative ? -number : number
  }
}
