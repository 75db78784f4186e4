import HTTPTypes
import LupineSupport

/// A file name that a server suggests, made safe: one name, no path, not hidden (RFC 6266 section 4.3).
enum SuggestedName {
  /// Returns the name in `Content-Disposition`, or else the last part of the path.
  static func name(from fields: HTTPFields, path: String) -> String {
    let suggested = fields[fields: .contentDisposition].lazy.flatMap { DispositionParameters($0).fileNames }
    let last = path.split(separator: "/").last.flatMap(PercentCoding.text)
    return (suggested.compactMap { safe($0) }.first ?? last.flatMap { safe($0) }) ?? "download"
  }

  /// Returns the last part of a path with `/` or `\`, without a drive letter, control bytes, or leading dots, dashes or
  /// tildes, within 200 bytes.
  static func safe(_ name: String) -> String? {
    guard !name.utf8.contains(0), !name.contains("\u{FFFD}") else { return nil }
    // Not by characters: a slash and a combining mark after it are one character, which is not equal to a slash.
    let last = name.unicodeScalars.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last ?? "".unicodeScalars[...]
    let scalars = String.UnicodeScalarView(
      last.filter { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) && !isMark($0) })
    let bare = withoutDrive(scalars[...]).drop { ".-~ ".unicodeScalars.contains($0) }
    let text = withoutBlankEnd(shortened(withoutBlankEnd(String(Substring(bare)))))
    return text.isEmpty ? nil : text
  }

  private static func withoutDrive(_ scalars: Substring.UnicodeScalarView) -> Substring.UnicodeScalarView {
    guard let letter = scalars.first, letter.isASCII, letter.properties.isAlphabetic, scalars.dropFirst().first == ":"
    else { return scalars }
    return scalars.dropFirst(2)
  }

  /// Shortens the name to 200 bytes and keeps its extension.
  private static func shortened(_ name: String) -> String {
    guard name.utf8.count > 200 else { return name }
    let suffix = name.lastIndex(of: ".").map { name[$0...] } ?? ""
    guard suffix.utf8.count <= 20 else { return name.cut(toBytes: 200) }
    return name.dropLast(suffix.count).cut(toBytes: 200 - suffix.utf8.count) + suffix
  }

  private static func withoutBlankEnd(_ name: String) -> String {
    var name = name
    while name.hasSuffix(" ") || name.hasSuffix(".") { name.removeLast() }
    return name
  }

  /// Whether the scalar changes the text direction, which can make a name look like another.
  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
      || (0x200E...0x200F).contains(scalar.value) || scalar.value == 0x061C
  }
}
