import LupineSupport

/// A media type or media range, such as `text/html; charset=utf-8` or `text/*` (RFC 9110 section 8.3.1).
///
/// The type, the subtype and the parameter names are stored in lower case. Parameter values are stored as received,
/// without the quotes of a quoted string.
public struct MediaType: Sendable, Hashable {
  /// The part before the slash, in lower case; `*` in a range.
  public let type: String
  /// The part after the slash, in lower case; `*` in a range.
  public let subtype: String
  /// The parameters, in order.
  public let parameters: [Parameter]

  /// One parameter of a media type.
  public struct Parameter: Sendable, Hashable {
    /// The name, in lower case.
    public let name: String
    /// The value, without quotes.
    public let value: String

    /// Creates a parameter.
    public init(name: String, value: String) {
      self.name = name.lowercased()
      self.value = value
    }
  }

  /// Creates a media type from its parts without checks.
  public init(type: String, subtype: String, parameters: [Parameter] = []) {
    self.type = type.lowercased()
    self.subtype = subtype.lowercased()
    self.parameters = parameters
  }

  /// Parses a field value such as that of `Content-Type`; returns `nil` if it violates the grammar.
  public init?(_ string: String) {
    var parser = MediaTypeParser(string)
    guard let mediaType = parser.parseOnly() else { return nil }
    self = mediaType
  }

  /// Parses a list of media ranges such as that of `Accept` (RFC 9110 section 12.5.1) and skips invalid elements.
  public static func list(_ string: String) -> [MediaType] {
    var parser = MediaTypeParser(string)
    return parser.parseList()
  }
}

extension MediaType {
  /// The type and the subtype without parameters, such as `text/html`.
  public var essence: String { "\(type)/\(subtype)" }

  /// The `charset` parameter, as received.
  public var charset: String? { self["charset"] }

  /// The first parameter with this name.
  ///
  /// The comparison ignores case.
  public subscript(name: String) -> String? {
    let name = name.lowercased()
    return parameters.first { $0.name == name }?.value
  }

  /// Whether the type matches the range, which may be `*/*` or `text/*`.
  ///
  /// Parameters are ignored.
  public func matches(_ range: MediaType) -> Bool {
    (range.type == "*" || range.type == type) && (range.subtype == "*" || range.subtype == subtype)
  }

  /// Whether it is JSON: `application/json`, `text/json` or a type that ends in `+json`.
  public var isJSON: Bool { subtype == "json" || subtype.hasSuffix("+json") }
}

extension MediaType: CustomStringConvertible {
  /// The media type as a field value.
  ///
  /// Values that are not tokens are quoted.
  public var description: String {
    parameters.reduce(into: essence) { $0 += "; \($1.name)=\($1.value.tokenOrQuotedString)" }
  }
}

/// Parses media types and lists of them in one pass.
struct MediaTypeParser {
  private var cursor: FieldCursor
  var steps: Int { cursor.steps }

  init(_ string: String) { cursor = FieldCursor(string) }

  /// Parses one media type that takes up the whole value.
  mutating func parseOnly() -> MediaType? {
    cursor.skipWhitespace()
    guard let mediaType = mediaType(), cursor.isAtEnd else { return nil }
    return mediaType
  }

  /// Parses media types between commas; skips empty and malformed elements.
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
