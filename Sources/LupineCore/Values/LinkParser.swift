import LupineSupport

/// Parses one `Link` field in time that is linear in its length.
///
/// Targets end at `>` and unquoted values at `;` or `,`, whatever bytes they contain (RFC 8288 appendices B.2 and B.3).
/// A quoted value without a closing quote ends with the field (appendix B.4).
struct LinkParser {
  private var cursor: FieldCursor

  init(_ field: String) { cursor = FieldCursor(field) }

  /// The number of bytes read, which shows that the parser is linear.
  var steps: Int { cursor.steps }

  /// Returns the links that can be read and that have a relation.
  mutating func links() -> [(reference: String, parameters: [WebLink.Parameter])] {
    var links: [(reference: String, parameters: [WebLink.Parameter])] = []
    while !cursor.isAtEnd {
      cursor.skipWhitespace()
      if let link = link() {
        links.append(link)
      } else {
        cursor.skipToComma()
      }
      _ = cursor.take(UInt8(ascii: ","))
    }
    return links
  }

  /// Reads one link and the white space after it; `nil` if it cannot be read.
  private mutating func link() -> (reference: String, parameters: [WebLink.Parameter])? {
    guard let reference = cursor.bracketedReference() else { return nil }
    var parameters: [WebLink.Parameter] = []
    cursor.skipWhitespace()
    while cursor.take(UInt8(ascii: ";")) {
      cursor.skipWhitespace()
      // An empty parameter is valid for the algorithm of appendix B.3, and some servers send one at the end.
      if cursor.isAtEnd || cursor.peek() == UInt8(ascii: ";") || cursor.peek() == UInt8(ascii: ",") { continue }
      guard let parameter = parameter() else { return nil }
      parameters.append(parameter)
      cursor.skipWhitespace()
    }
    guard cursor.isAtEnd || cursor.peek() == UInt8(ascii: ",") else { return nil }
    // A repeated rel is ignored, and a link without one has no meaning (RFC 8288 section 3.3).
    guard let relation = parameters.first(where: { $0.name == "rel" }), relation.value.contains(where: { $0 != " " })
    else { return nil }
    return (reference, parameters)
  }

  private mutating func parameter() -> WebLink.Parameter? {
    guard let name = cursor.token()?.lowercased() else { return nil }
    cursor.skipWhitespace()
    guard cursor.take(UInt8(ascii: "=")) else { return WebLink.Parameter(name: name, value: "") }
    cursor.skipWhitespace()
    guard cursor.peek() == UInt8(ascii: "\"") else {
      return WebLink.Parameter(name: name, value: cursor.unquotedValue())
    }
    return cursor.quotedString(mayEndWithField: true).map { WebLink.Parameter(name: name, value: $0) }
  }
}
