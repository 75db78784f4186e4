import HTTPTypes
import LupineCoding
import LupineFoundation
import LupineSupport

/// The parameters of a `Content-Disposition` field, read as curl and wget read them.
///
/// Many servers send names that break the grammar (RFC 6266 section 4.1). The type may be missing; blanks may be around
/// `=` and in a value without quotes; a value may be in single quotes; a quote may not end, and the value then ends at
/// the next `;`. A backslash escapes a quote or a backslash alone, so that it stays a separator of a path.
struct DispositionParameters {
  private var values: [(name: String, value: String)] = []

  /// Reads a field; a value of more than 4,096 bytes has no parameters.
  init(_ field: HTTPField) {
    let bytes = field.withUnsafeBytesOfValue { Array($0.prefix(4_097)) }
    guard bytes.count <= 4_096 else { return }
    // Bytes that are not UTF-8 are those of ISO 8859-1, in which fields were written before.
    let latin = String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })
    var rest = (String(validating: bytes, as: UTF8.self)?.unicodeScalars ?? latin)[...]
    while !rest.isEmpty {
      let name = rest.prefix { $0 != "=" && $0 != ";" }
      rest = rest[name.endIndex...]
      guard rest.popFirst() == "=" else { continue }
      let value = Self.value(&rest)
      rest = rest.drop { $0 != ";" }.dropFirst()
      // Some servers omit the `;` after the type.
      let word = String(name).split { $0 == " " || $0 == "\t" }.last ?? ""
      values.append((word.lowercased(), value))
    }
  }

  /// The file names, the preferred one first: `filename*` has precedence (RFC 6266 section 4.3).
  var fileNames: [String] {
    [self["filename*"].flatMap(Self.decoded), sections, self["filename"]].compactMap { $0 }
  }

  private subscript(name: String) -> String? { values.first { $0.name == name }?.value }

  /// A name in several parameters, such as `filename*0="a"; filename*1="b"` (RFC 2231 section 3), as wget takes it.
  private var sections: String? {
    var sections: [String] = []
    while let section = self["filename*\(sections.count)"] ?? self["filename*\(sections.count)*"] {
      sections.append(section)
    }
    let name = sections.joined()
    return self["filename*0*"] == nil ? (sections.isEmpty ? nil : name) : Self.decoded(name)
  }

  private static func value(_ rest: inout Substring.UnicodeScalarView) -> String {
    rest = rest.drop { $0 == " " || $0 == "\t" }
    if let quote = rest.first, quote == "\"" || quote == "'", let value = quoted(by: quote, &rest) { return value }
    if rest.first == "\"" { rest.removeFirst() }
    let value = rest.prefix { $0 != ";" }
    rest = rest[value.endIndex...]
    return String(String(value).trimmingBlanks())
  }

  /// Reads a quoted value; `nil`, without a change, if its quote does not end.
  private static func quoted(by quote: Unicode.Scalar, _ rest: inout Substring.UnicodeScalarView) -> String? {
    var value = String.UnicodeScalarView()
    var left = rest.dropFirst()
    while let scalar = left.popFirst() {
      if scalar == quote {
        rest = left
        return String(value)
      }
      let isEscape = scalar == "\\" && (left.first == quote || left.first == "\\")
      value.append(isEscape ? left.removeFirst() : scalar)
    }
    return nil
  }

  /// Decodes a value such as `UTF-8'en'%C3%BC` (RFC 8187 section 3.2); `nil` if it is no such value, or in an unknown
  /// character encoding.
  private static func decoded(_ value: String) -> String? {
    let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3 else { return nil }
    let (bytes, isValid) = PercentCoding.decoded(parts[2])
    return isValid ? try? TextEncoding(String(parts[0])).decode(Data(bytes)) : nil
  }
}
