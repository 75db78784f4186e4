import LupineSupport

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
