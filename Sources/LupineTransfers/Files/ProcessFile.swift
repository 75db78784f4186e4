import Glibc
import LupineSupport

/// What the system says of this process, a line for each name.
enum ProcessFile {
  /// The text behind a name; `nil` where the system does not tell.
  static func value(of name: String, in path: String) -> String? {
    guard let file = fopen("/proc/self/" + path, "re") else { return nil }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, 256, file) != nil {
      let text = line.withUnsafeBytes { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      guard text.hasPrefix(name) else { continue }
      return String(text.dropFirst(name.count).trimmingBlanks().prefix { $0.isNumber })
    }
    return nil
  }
}
