import LupineCore

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
