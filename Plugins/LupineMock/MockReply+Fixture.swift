import FoundationEssentials
public import HTTPTypes

extension MockReply {
  /// A file in a folder named `Fixtures`, which is beside the calling source file or in a parent folder.
  ///
  /// The nearest such folder that has the file is used. If no folder has the file, the requests that the stub answers
  /// end with kind `invalidStub`.
  ///
  /// - Parameters:
  ///   - name: the file's name, which may be a path such as `users/42.json`.
  ///   - contentType: the media type; `nil` derives it from the name's extension.
  ///   - filePath: where the search begins.
  public static func fixture(
    _ name: String, contentType: String? = nil, status: HTTPResponse.Status = .ok, filePath: String = #filePath
  ) -> MockReply {
    for folder in folders(above: filePath) {
      let path = "\(folder)/Fixtures/\(name)"
      if FileManager.default.fileExists(atPath: path) { return .file(path, contentType: contentType, status: status) }
    }
    var part = Part(status: status)
    part.problem = Problem(reason: "there is no \"\(name)\" in a folder Fixtures beside \(filePath), or above it.")
    return MockReply(part)
  }

  /// Returns the folders that contain a file, the innermost first; the root is the empty text.
  private static func folders(above path: String) -> [String] {
    var folders: [String] = []
    var rest = path[...]
    while let slash = rest.lastIndex(of: "/") {
      rest = rest[..<slash]
      folders.append(String(rest))
    }
    return folders
  }
}
