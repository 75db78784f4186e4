import HTTPTypes
import LupineSupport

/// An entity tag (RFC 9110 section 8.8.3).
struct EntityTag: Sendable, Equatable {
  /// The tag as a field has it.
  let text: String

  /// Reads the tag of a response; `nil` if there is none, or if there are different ones.
  init?(of fields: HTTPFields) {
    guard let tag = fields.singleton(.eTag), !tag.isEmpty else { return nil }
    text = tag
  }

  private init(_ text: String) { self.text = text }

  /// Whether the tag proves that two representations are equal byte for byte.
  var isStrong: Bool {
    text.utf8.count >= 2 && text.hasPrefix("\"") && text.hasSuffix("\"")
      && !text.dropFirst().dropLast().contains("\"")
  }

  private var opaque: Substring { text.hasPrefix("W/") ? text.dropFirst(2) : text[...] }

  /// Compares two tags, whatever their strength.
  func matchesWeakly(_ other: EntityTag) -> Bool { opaque == other.opaque }

  /// Compares two strong tags; a weak one matches none.
  func matchesStrongly(_ other: EntityTag) -> Bool { isStrong && text == other.text }

  /// Whether a list of tags, such as that of `If-None-Match`, has this tag or is `*`.
  func isListed(in fields: HTTPFields, _ name: HTTPField.Name) -> Bool {
    ListField.members(fields[values: name]).contains { $0 == "*" || EntityTag($0).matchesWeakly(self) }
  }
}

/// Reads fields that are lists (RFC 9110 section 5.6.1).
enum ListField {
  /// Returns the members of all values, without the white space around them and without empty ones.
  ///
  /// A comma in a quoted string does not separate.
  static func members(_ values: [String]) -> [String] {
    values.flatMap { value -> [String] in
      var cursor = FieldCursor(value)
      var members: [String] = []
      while !cursor.isAtEnd {
        let start = cursor.position
        cursor.skipToComma()
        let member = cursor.text(start..<cursor.position).trimmingBlanks()
        if !member.isEmpty { members.append(String(member)) }
        _ = cursor.take(UInt8(ascii: ","))
      }
      return members
    }
  }
}
