import FoundationEssentials
import LupineCore
import LupineSupport

/// The value of a `Set-Cookie` field, taken apart (RFC 6265bis section 5.6).
struct SetCookie {
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
  ///
  /// - Parameter limit: the most bytes of a name and a value together.
  init?(_ field: String, limit: Int = CookieLimits().cookie) {
    var cursor = FieldCursor(field)
    self.init(&cursor, limit: limit)
  }

  /// Takes apart what a cursor reads, byte by byte and never back.
  init?(_ cursor: inout FieldCursor, limit: Int) {
    guard let (front, back) = Self.part(&cursor) else { return nil }
    // Without `=` the whole is a value without a name.
    name = back == nil ? "" : front
    value = back ?? front
    guard !name.isEmpty || !value.isEmpty, name.utf8.count + value.utf8.count <= limit else { return nil }
    while cursor.take(0x3B) {
      guard let (name, value) = Self.part(&cursor) else { return nil }
      take(name, value ?? "")
    }
  }

  /// What stands up to the next `;`, before and after the first `=`, without blanks at the ends; `nil` where it has a
  /// control byte.
  private static func part(_ cursor: inout FieldCursor) -> (name: String, value: String?)? {
    var name: String?
    cursor.skipWhitespace()
    var (start, end) = (cursor.position, cursor.position)
    while let byte = cursor.peek(), byte != 0x3B {
      guard byte >= 0x20 && byte != 0x7F || byte == 0x09 else { return nil }
      cursor.advance()
      if byte == 0x3D, name == nil {
        name = cursor.text(start..<end)
        cursor.skipWhitespace()
        (start, end) = (cursor.position, cursor.position)
      } else if !byte.isBlank {
        end = cursor.position
      }
    }
    let text = cursor.text(start..<end)
    return name.map { ($0, text) } ?? (text, nil)
  }

  private mutating func take(_ name: String, _ value: String) {
    guard value.utf8.count <= Self.maximumAttributeSize else { return }
    switch name.lowercased() {
    case "expires": if let date = CookieDate.parse(value) { expires = date }
    case "max-age": if let seconds = Self.seconds(value.utf8[...]) { maxAge = seconds }
    case "domain": domain = (value.hasPrefix(".") ? String(value.dropFirst()) : value).lowercased()
    case "path": path = value
    case "secure": isSecure = true
    case "httponly": isHTTPOnly = true
    case "samesite": sameSite = Cookie.SameSite(rawValue: value.lowercased())
    default: break
    }
  }

  /// A whole number of any length, as a floating-point one, which cannot overflow into the past.
  private static func seconds(_ bytes: Substring.UTF8View) -> Double? {
    let isNegative = bytes.first == 0x2D
    let digits = isNegative ? bytes.dropFirst() : bytes
    guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    let number = digits.reduce(0.0) { $0 * 10 + Double($1 - 0x30) }
    return isNegative ? -number : number
  }
}
