import LupineCore

extension MockReply {
  /// Returns the media type for a file's extension; plain text and HTML are declared as UTF-8.
  static func mediaType(ofFile path: String) -> String {
    guard let dot = path.lastIndex(of: "."), !path[dot...].contains("/"),
      let type = MediaTypeTable.builtIn[path[path.index(after: dot)...].lowercased()]
    else { return "application/octet-stream" }
    return ["text/plain", "text/html"].contains(type) ? type + "; charset=utf-8" : type
  }
}
