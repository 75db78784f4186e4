#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// Reads small system files and links.
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

  /// Whether the path exists; a symbolic link is followed.
  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// Returns the target of a symbolic link; `nil` if the path is not one.
  static func target(ofLink path: String) -> String? {
    var target = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = readlink(path, &target, target.count)
    guard length > 0 else { return nil }
    return String(decoding: target.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
