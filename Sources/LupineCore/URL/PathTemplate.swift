import LupineSupport

/// A URL whose path has named placeholders for values, such as `repos/{owner}/{name}`.
///
/// ```swift
/// let file = try await session.download(
///   .template("repos/{owner}/{name}/archive", ["owner": owner, "name": name]), to: .temporary
/// )
/// .serializingFile().value
/// ```
///
/// Each value is percent-encoded as in RFC 6570 section 3.2.2, so that a `/`, `?`, `#` or `%` in it never changes the
/// shape of the path. The description contains no values.
///
/// The request fails with kind `invalidURL` if a placeholder has no value, if a value has no placeholder, if a value is
/// empty, if a segment with a value is `.` or `..`, or if a placeholder is outside the path.
public struct PathTemplate: URLConvertible {
  /// The values by name: strings, numbers, identifiers and other types that are a `PathValue`.
  public typealias Values = [String: any PathValue]

  /// The text with the names in braces.
  public let text: String
  private let values: Values

  /// Creates a template with its values.
  public init(_ text: String, _ values: Values) {
    self.text = text
    self.values = values
  }

  /// Returns the URL with the values, resolved as a string is.
  ///
  /// - Throws: `LupineError` of kind `.invalidURL`.
  public func asURL(relativeTo base: HTTPURL?) throws(LupineError) -> HTTPURL {
    try expanded().asURL(relativeTo: base)
  }
}

// A value in a path can be secret.
extension PathTemplate: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The text of the template, without the values.
  public var description: String { text }

  /// The text of the template, without the values.
  public var debugDescription: String { text }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension URLConvertible where Self == PathTemplate {
  /// A URL whose path has named placeholders for values; see `PathTemplate`.
  public static func template(_ text: String, _ values: PathTemplate.Values) -> PathTemplate {
    PathTemplate(text, values)
  }
}

// The parser reads Unicode scalars, because a `/` with a combining accent is one character that is not equal to `/`.
extension PathTemplate {
  private typealias Scalars = Substring.UnicodeScalarView

  private func expanded() throws(LupineError) -> String {
    let scalars = text.unicodeScalars
    let path = pathRange
    let (head, tail) = (scalars[..<path.lowerBound], scalars[path.upperBound...])
    if head.contains(where: Self.isBrace) || tail.contains(where: Self.isBrace) {
      throw Self.error("has a brace outside its path; values of a query are parameters")
    }
    var used: Set<String> = []
    var segments: [String] = []
    for segment in scalars[path].split(separator: "/", omittingEmptySubsequences: false) {
      segments.append(try expand(segment, &used))
    }
    if let unused = values.keys.filter({ !used.contains($0) }).min() {
      throw Self.error("has no placeholder {\(unused.escapingControls(limit: 64))} for the value of that name")
    }
    return String(head) + segments.joined(separator: "/") + String(tail)
  }

  /// Returns a segment with its values, and records the names.
  private func expand(_ segment: Scalars, _ used: inout Set<String>) throws(LupineError) -> String {
    guard segment.contains(where: Self.isBrace) else { return String(segment) }
    var expanded = ""
    var rest = segment
    while let brace = rest.firstIndex(where: Self.isBrace) {
      guard rest[brace] == "{", let end = rest[brace...].dropFirst().firstIndex(where: Self.isBrace), rest[end] == "}"
      else { throw Self.error("has a brace without its counterpart in the same segment") }
      let name = String(rest[rest.index(after: brace)..<end])
      expanded += String(rest[..<brace]) + (try value(of: name))
      used.insert(name)
      rest = rest[end...].dropFirst()
    }
    expanded += String(rest)
    try PathSegments.check(expanded, "The segment “\(String(segment))” of the URL template")
    return expanded
  }

  private func value(of name: String) throws(LupineError) -> String {
    guard let value = values[name] else {
      throw Self.error("has the placeholder {\(name.escapingControls(limit: 64))}, for which there is no value")
    }
    let escaped = PathSegments.escaped(value.pathText)
    if escaped.isEmpty { try PathSegments.check(escaped, "The value {\(name)} of the URL template") }
    return escaped
  }

  private static func isBrace(_ scalar: Unicode.Scalar) -> Bool { scalar == "{" || scalar == "}" }

  private static func error(_ problem: String) -> LupineError {
    LupineError(.invalidURL, "The URL template \(problem).")
  }

  /// The path: what follows the authority, up to the query or the fragment.
  private var pathRange: Range<String.Index> {
    let scalars = text.unicodeScalars
    let end = scalars.firstIndex { $0 == "?" || $0 == "#" } ?? scalars.endIndex
    guard let slash = scalars[..<end].firstIndex(of: "/") else { return scalars.startIndex..<end }
    let isAfterScheme = slash == scalars.startIndex || scalars[scalars.index(before: slash)] == ":"
    let authority = scalars[slash..<end].dropFirst()
    guard isAfterScheme, authority.first == "/" else { return scalars.startIndex..<end }
    return (authority.dropFirst().firstIndex(of: "/") ?? end)..<end
  }
}
