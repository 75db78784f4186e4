import Glibc

/// The current thread.
public enum CurrentThread {
  /// The name of the thread in the system, such as `lupine-curl`; it has at most 15 bytes.
  public static var name: String {
    let file = open("/proc/thread-self/comm", O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = read(file, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)).prefix { $0 != 0x0A }, as: UTF8.self)
  }
}
