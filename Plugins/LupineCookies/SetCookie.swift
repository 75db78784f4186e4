import LupineCore
import LupineFoundation
import LupineSupport

/// The parsed value of a `Set-Cookie` field (RFC 6265bis section 5.6).
struct SetCookie {
  /// The maximum size of an attribute's value in bytes; a longer attribute is ignored.
  static let maximumAttributeSize = 1_024

  let name: String
  let value: String
  private(set) var domain: String?
  private(set) var path: String?
  private(set) var expires: Date?
  /// The value of `Max-Age` in seconds from now.
  private(set) var maxAge: Double?
  private(set) var isSecure = false
  private(set) var isHTTPOnly = false
  private(set) var sameSite: Cookie.SameSite?

  /// Parses a field; `nil` if it is empty, too long, or has a control byte.
  ///
  /// - Parameter limit: the maximum size of the name and the value in bytes.
  init?(_ field: String, limit: Int = CookieLimits().cookieBytes) {
    var cursor = FieldCursor(field)
    self.init(&cursor, limit: limit)
  }

  /// Parses the cursor's bytes in one pass.
  init?(_ cursor: inout FieldCursor, limit: Int) {
    guard let (front, back) = Self.part(&cursor) else { return nil }
    // Without `=`, the whole text is the value of a cookie without a name.
    name = back == nil ? "" : front
    value = back ?? front
    guard !name.isEmpty || !value.isEmpty, name.utf8.count + value.utf8.count <= limit else { return nil }
    while cursor.take(0x3B) {
      guard let (name, value) = Self.part(&cursor) else { return nil }
      setAttribute(name, value ?? "")
    }
  }

  /// Returns the text up to the next `;`, divided at the first `=` and without blanks at the ends.
  ///
  /// - Returns: `nil` if the text has a control byte.
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

  private mutating func setAttribute(_ name: String, _ value: String) {
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

  /// Parses an integer of any length as a floating-point number, which cannot overflow to a negative one.
  private static func seconds(_ bytes: Substring.UTF8View) -> Double? {
    let isNegative = bytes.first == 0x2D
    let digits = isNegative ? bytes.dropFirst() : bytes
    guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    let number = digits.reduce(0.0) { $0 * 10 + Double($1 - 0x30) }
    return isNegative ? -number : number
  }
}
