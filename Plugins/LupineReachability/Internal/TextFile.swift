import Glibc

/// Reads small files of the system.
enum TextFile {
  private static let limit = 1 << 16

  /// The first 64 KiB; `nil` where the file cannot be read.
  static func contents(_ path: String) -> String? {
    // A name server's file that is a pipe must not stop the thread.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    var text: [UInt8] = []
    while text.count < limit {
      let count = read(descriptor, &bytes, bytes.count)
      if count < 0 { return nil }
      if count == 0 { break }
      text += bytes[..<count]
    }
    return String(decoding: text, as: UTF8.self)
  }
}
