extension StringProtocol {
  /// The folders that contain a file with this path, the innermost first; the root is the empty text.
  public var enclosingFolders: [String] {
    var folders: [String] = []
    var rest = self[...]
    while let slash = rest.lastIndex(of: "/") {
      rest = rest[..<slash]
      folders.append(String(rest))
    }
    return folders
  }
}
