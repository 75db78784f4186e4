import LupineCore

/// Media types of files, by the extensions of their names.
public struct MediaTypes: Sendable {
  /// The type of a file whose name says nothing.
  public static let unknown = "application/octet-stream"

  /// What the system says: shared-mime-info's `/usr/share/mime/globs2`, else `/etc/mime.types`, else the built-in table.
  ///
  /// Read once, when it is first needed. An extension that the system does not know is looked up in the built-in table.
  public static let system = MediaTypes(
    table: builtIn.table.merging(SystemMediaTypes.load(preferring: builtIn.table) ?? [:]) { $1 })

  /// The table in this library: the types of common files on the web.
  public static let builtIn = MediaTypes(table: MediaTypeTable.builtIn)

  private var table: [String: String]

  private init(table: [String: String]) { self.table = table }

  /// The types that a program names, and no others.
  ///
  /// - Parameter types: types by extension, without the dot; case does not matter. `tar.gz` is an extension, too.
  public init(_ types: [String: String]) {
    table = [:]
    self = adding(types)
  }

  /// Returns these types with others added, which come first.
  public func adding(_ types: [String: String]) -> MediaTypes {
    var copy = self
    for (name, type) in types {
      copy.table[name.drop { $0 == "." }.lowercased()] = type
    }
    return copy
  }

  /// The type of an extension, without its dot; `nil` where it is unknown.
  public func type(forExtension name: String) -> String? {
    table[name.drop { $0 == "." }.lowercased()]
  }

  /// The type of a file, by the longest known extension of its name; `application/octet-stream` where there is none.
  public func type(forFileName name: String) -> String {
    let name = name.split(separator: "/").last ?? ""
    // A name of nothing but dots and extensions has 255 bytes at most on Linux; a longer one is no file's.
    var rest = name.utf8.suffix(255)
    while let dot = rest.firstIndex(of: 0x2E) {
      rest = rest[rest.index(after: dot)...]
      if let type = table[String(decoding: rest, as: UTF8.self).lowercased()] { return type }
    }
    return Self.unknown
  }
}
