import LupineFoundation
import LupineSupport

/// Media types of files, by file name extension.
public struct MediaTypes: Sendable {
  /// The type of a file without a known extension.
  public static let unknown = "application/octet-stream"

  /// The types from shared-mime-info's `/usr/share/mime/globs2`, or else `/etc/mime.types`, and the built-in table.
  ///
  /// The file is read once, on first use. The built-in table supplies the types of extensions that the file does not
  /// contain.
  public static let system = MediaTypes(
    table: builtIn.table.merging(SystemMediaTypes.load(preferring: builtIn.table) ?? [:]) { $1 })

  /// The library's own table of common types on the web.
  public static let builtIn = MediaTypes(table: MediaTypeTable.builtIn)

  private var table: [String: String]

  private init(table: [String: String]) { self.table = table }

  /// Creates a table of the given types only.
  ///
  /// - Parameter types: types by extension, without the dot; the comparison ignores case. An extension may contain a
  ///   dot, as in `tar.gz`.
  public init(_ types: [String: String]) {
    table = [:]
    self = adding(types)
  }

  /// Returns these types with others added, which take precedence.
  public func adding(_ types: [String: String]) -> MediaTypes {
    var copy = self
    for (name, type) in types {
      copy.table[name.drop { $0 == "." }.lowercased()] = type
    }
    return copy
  }

  /// Returns the type of an extension without its dot; `nil` if it is unknown.
  public func type(forExtension name: String) -> String? {
    table[name.drop { $0 == "." }.lowercased()]
  }

  /// Returns the type for the longest known extension of a file name; `application/octet-stream` if none is known.
  public func type(forFileName name: String) -> String {
    let name = name.split(separator: "/").last ?? ""
    // A file name on Linux has at most 255 bytes.
    var rest = name.utf8.suffix(255)
    while let dot = rest.firstIndex(of: 0x2E) {
      rest = rest[rest.index(after: dot)...]
      if let type = table[String(decoding: rest, as: UTF8.self).lowercased()] { return type }
    }
    return Self.unknown
  }
}

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
