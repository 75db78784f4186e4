#if Terminal
  import ArgumentParser
  import LupineFoundation

  /// The cassettes that a command works on.
  struct CassettePaths: ParsableArguments {
    @Argument(help: "Cassettes, or folders in which they are searched for.")
    var paths: [String] = ["."]

    /// The paths of the cassettes, sorted.
    ///
    /// Hidden folders, such as `.build`, are not searched, and links are not followed.
    func found() throws -> [String] {
      let found = try paths.flatMap { path -> [String] in
        switch Self.type(of: path) {
        case .typeDirectory: try Self.cassettes(in: path)
        case nil:
          throw CommandFailure(
            "\(path.debugDescription) does not exist. Name a cassette, or a folder that has cassettes.")
        default: [path]
        }
      }
      return Array(Set(found)).sorted()
    }

    /// The folders of the cassettes, and the named folders, sorted.
    func folders() throws -> [String] {
      let named = paths.filter { Self.type(of: $0) == .typeDirectory }
      let found = try found().map { path in path.contains("/") ? Self.folder(of: path) : "." }
      return Array(Set(named.map { $0.count > 1 && $0.hasSuffix("/") ? String($0.dropLast()) : $0 } + found)).sorted()
    }

    private static func folder(of path: String) -> String {
      let folder = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
      return folder.isEmpty ? "/" : String(folder)
    }

    private static func type(of path: String) -> FileAttributeType? {
      (try? FileManager.default.attributesOfItem(atPath: path))?[.type] as? FileAttributeType
    }

    private static func cassettes(in folder: String) throws -> [String] {
      var found: [String] = []
      var folders = [folder]
      while let folder = folders.popLast() {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) where !name.hasPrefix(".") {
          let path = folder == "." ? name : folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
          switch type(of: path) {
          case .typeDirectory: folders.append(path)
          case .typeRegular where name.hasSuffix(".cassette"): found.append(path)
          default: break
          }
        }
      }
      return found
    }
  }
#endif
