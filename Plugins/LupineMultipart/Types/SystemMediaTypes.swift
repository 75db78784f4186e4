import FoundationEssentials
import LupineCore

/// Reads the system's lists of media types.
enum SystemMediaTypes {
  static let globsPath = "/usr/share/mime/globs2"
  static let listPath = "/etc/mime.types"

  /// Returns the types by extension; `nil` if the system has no list.
  static func load(preferring preferred: [String: String]) -> [String: String]? {
    if let text = read(globsPath) { return globs(text, preferring: preferred) }
    if let text = read(listPath) { return MediaTypeTable.list(text) }
    return nil
  }

  private static func read(_ path: String) -> String? {
    (try? Data(contentsOf: URL(filePath: path))).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Parses lines such as `50:image/png:*.png`: a weight, a type, a pattern.
  ///
  /// If an extension has several types, the greatest weight decides. Among equal weights the preferred type is chosen
  /// if it is one of them, otherwise the first.
  static func globs(_ text: String, preferring preferred: [String: String] = [:]) -> [String: String] {
    var found: [String: (weight: Int, type: String)] = [:]
    for line in text.utf8.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) where line.first != 0x23 {
      let columns = line.split(separator: 0x3A, omittingEmptySubsequences: false).map {
        String(decoding: $0, as: UTF8.self)
      }
      guard columns.count >= 3, let weight = Int(columns[0]), columns[2].hasPrefix("*.") else { continue }
      let name = columns[2].dropFirst(2).lowercased()
      guard !name.isEmpty, !name.utf8.contains(where: { "*?[]".utf8.contains($0) }) else { continue }
      if let known = found[name] {
        let isPreferred = known.weight == weight && preferred[name] == columns[1]
        guard weight > known.weight || isPreferred else { continue }
      }
      found[name] = (weight, columns[1])
    }
    return found.mapValues(\.type)
  }
}
