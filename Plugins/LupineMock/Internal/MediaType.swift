/// Media types by a file's extension.
enum MediaType {
  private static let types = [
    "json": "application/json", "txt": "text/plain; charset=utf-8", "html": "text/html; charset=utf-8",
    "css": "text/css", "csv": "text/csv", "js": "text/javascript", "xml": "application/xml",
    "plist": "application/x-plist", "pdf": "application/pdf", "png": "image/png", "jpg": "image/jpeg",
    "jpeg": "image/jpeg", "gif": "image/gif", "svg": "image/svg+xml", "zip": "application/zip",
  ]

  static func guess(path: String) -> String {
    guard let dot = path.lastIndex(of: "."), !path[dot...].contains("/") else { return "application/octet-stream" }
    return types[path[path.index(after: dot)...].lowercased()] ?? "application/octet-stream"
  }
}
