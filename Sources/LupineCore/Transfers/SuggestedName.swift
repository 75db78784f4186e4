/// A file name that a server suggests, made safe: one name, no path, nothing hidden (RFC 6266 section 4.3).
enum SuggestedName {
  static func name(from disposition: String?, path: String) -> String {
    let suggested = disposition.flatMap(fileName)
    let last = path.split(separator: "/").last.flatMap(PercentCoding.text)
    return [suggested, last].compactMap { $0.flatMap(safe) }.first ?? "download"
  }

  /// `filename*` comes before `filename`.
  private static func fileName(_ disposition: String) -> String? {
    guard disposition.utf8.count <= 4_096, let media = MediaType("a/" + disposition) else { return nil }
    if let extended = media.parameters.first(where: { $0.name.lowercased() == "filename*" })?.value {
      let parts = extended.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
      if parts.count == 3, parts[0].lowercased() == "utf-8", let name = PercentCoding.text(parts[2]) { return name }
    }
    return media.parameters.first { $0.name.lowercased() == "filename" }?.value
  }

  /// The last part of a path of either kind, without control bytes, leading dots, dashes or tildes, within 200 bytes.
  static func safe(_ name: String) -> String? {
    guard !name.utf8.contains(0), !name.contains("\u{FFFD}") else { return nil }
    let last = name.split(whereSeparator: { $0 == "/" || $0 == "\\" || $0 == ":" }).last ?? ""
    let scalars = last.unicodeScalars.filter { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) && !isMark($0) }
    var text = String(String.UnicodeScalarView(scalars.drop { ".-~ ".unicodeScalars.contains($0) }))
    while text.utf8.count > 200 { text.removeLast() }
    while text.hasSuffix(" ") || text.hasSuffix(".") { text.removeLast() }
    return text.isEmpty ? nil : text
  }

  /// Marks that turn the direction of text, which make a name look like another.
  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
      || (0x200E...0x200F).contains(scalar.value)
  }
}
