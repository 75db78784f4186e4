import LupineSupport

/// A media type or media range, such as `text/html; charset=utf-8` or `text/*` (RFC 9110 section 8.3.1).
///
/// The type, the subtype and the names of the parameters are kept in lower case; their values as they came, without the
/// quotes of a quoted string.
public struct MediaType: Sendable, Hashable {
  /// The part before the slash, in lower case; `*` in a range.
  public let type: String
  /// The part after the slash, in lower case; `*` in a range.
  public let subtype: String
  /// The parameters, in their order.
  public let parameters: [Parameter]

  /// One parameter of a media type.
  public struct Parameter: Sendable, Hashable {
    /// The name, in lower case.
    public let name: String
    /// The value, without quotes.
    public let value: String

    /// Joins a name and a value.
    public init(name: String, value: String) {
      self.name = name.lowercased()
      self.value = value
    }
  }

  /// Joins the parts of a media type, which are not checked.
  public init(type: String, subtype: String, parameters: [Parameter] = []) {
    self.type = type.lowercased()
    self.subtype = subtype.lowercased()
    self.parameters = parameters
  }

  /// Reads a field value such as `Content-Type`'s; `nil` where it breaks the grammar.
  public init?(_ string: String) {
    var parser = MediaTypeParser(string)
    guard let mediaType = parser.parseOnly() else { return nil }
    self = mediaType
  }

  /// Reads a list of media ranges such as `Accept`'s (RFC 9110 section 12.5.1), leaving out those that break the grammar.
  public static func list(_ string: String) -> [MediaType] {
    var parser = MediaTypeParser(string)
    return parser.parseList()
  }
}

extension MediaType {
  /// The type and the subtype without parameters, such as `text/html`.
  public var essence: String { "\(type)/\(subtype)" }

  /// The `charset` parameter, as it came.
  public var charset: String? { self["charset"] }

  /// The first parameter of this name, which is compared without regard to case.
  public subscript(name: String) -> String? {
    let name = name.lowercased()
    return parameters.first { $0.name == name }?.value
  }

  /// Whether the type lies in the range, which may be `*/*` or `text/*`; parameters are not looked at.
  public func matches(_ range: MediaType) -> Bool {
    (range.type == "*" || range.type == type) && (range.subtype == "*" || range.subtype == subtype)
  }

  /// Whether it is JSON: `application/json`, `text/json` or a type that ends in `+json`.
  package var isJSON: Bool { subtype == "json" || subtype.hasSuffix("+json") }
}

extension MediaType: CustomStringConvertible {
  /// The media type as a field carries it; values that are no tokens are quoted.
  public var description: String {
    parameters.reduce(into: essence) { $0 += "; \($1.name)=\($1.value.tokenOrQuotedString)" }
  }
}

/// Reads media types and lists of them, each byte once.
struct MediaTypeParser {
  private var cursor: FieldCursor
  var steps: Int { cursor.steps }

  init(_ string: String) { cursor = FieldCursor(string) }

  /// One media type that takes up the whole value.
  mutating func parseOnly() -> MediaType? {
    cursor.skipWhitespace()
    guard let mediaType = mediaType(), cursor.isAtEnd else { return nil }
    return mediaType
  }

  /// Media types between commas; empty and malformed elements are left out.
  mutating func parseList() -> [MediaType] {
    var list: [MediaType] = []
    while !cursor.isAtEnd {
      cursor.skipWhitespace()
      if let mediaType = mediaType(), cursor.isAtEnd || cursor.peek() == UInt8(ascii: ",") { list.append(mediaType) }
      cursor.skipToComma()
      _ = cursor.take(UInt8(ascii: ","))
    }
    return list
  }

  private mutating func mediaType() -> MediaType? {
    guard let type = cursor.token(), cursor.take(UInt8(ascii: "/")), let subtype = cursor.token() else { return nil }
    var parameters: [MediaType.Parameter] = []
    cursor.skipWhitespace()
    while cursor.take(UInt8(ascii: ";")) {
      cursor.skipWhitespace()
      if let name = cursor.token() {
        guard let value = value() else { return nil }
        parameters.append(MediaType.Parameter(name: name, value: value))
        cursor.skipWhitespace()
      }
    }
    return MediaType(type: type, subtype: subtype, parameters: parameters)
  }

  private mutating func value() -> String? {
    guard cursor.take(UInt8(ascii: "=")) else { return nil }
    return cursor.peek() == UInt8(ascii: "\"") ? cursor.quotedString() : cursor.token()
  }
}
