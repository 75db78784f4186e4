import Glibc

/// Reads small system files.
enum TextFile {
  private static let limit = 1 << 16

  /// Returns up to about 64 KiB of the file; `nil` if it cannot be read.
  static func contents(_ path: String) -> String? {
    // `O_NONBLOCK` keeps a named pipe from blocking the thread.
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
