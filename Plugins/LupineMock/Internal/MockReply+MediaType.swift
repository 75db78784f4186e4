import LupineCore

extension MockReply {
  /// The media type of a file, by its path's extension; plain text and pages are taken for UTF-8.
  static func mediaType(ofFile path: String) -> String {
    guard let dot = path.lastIndex(of: "."), !path[dot...].contains("/"),
      let type = MediaTypeTable.builtIn[path[path.index(after: dot)...].lowercased()]
    else { return "application/octet-stream" }
    return ["text/plain", "text/html"].contains(type) ? type + "; charset=utf-8" : type
  }
}
