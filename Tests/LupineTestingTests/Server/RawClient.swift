import Glibc

/// A client that writes and reads plain bytes.
final class RawClient: Sendable {
  enum Failure: Error, Equatable {
    case refused
    case reset
    case system(Int32)
  }

  private let descriptor: Int32

  /// Connects to 127.0.0.1.
  init(port: Int) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = in_port_t(UInt16(port)).bigEndian
    name.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    try connectSocket(&name)
  }

  /// Connects to ::1.
  init(port6 port: Int) throws {
    descriptor = socket(AF_INET6, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var name = sockaddr_in6()
    name.sin6_family = sa_family_t(AF_INET6)
    name.sin6_port = in_port_t(UInt16(port)).bigEndian
    name.sin6_addr = in6addr_loopback
    try connectSocket(&name)
  }

  /// Connects to a Unix socket.
  init(path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
    try connectSocket(&name)
  }

  deinit { close(descriptor) }

  private func connectSocket<Name>(_ name: inout Name) throws {
    // If the expected bytes do not arrive, the test fails and does not hang.
    limitWaits(milliseconds: 20_000)
    let code = withUnsafeMutablePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<Name>.size))
      }
    }
    if code != 0 { throw errno == ECONNREFUSED ? Failure.refused : .system(errno) }
  }

  func send(_ text: String) throws { try send(bytes: Array(text.utf8)) }

  func send(bytes: [UInt8]) throws {
    var bytes = bytes[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if count < 0 { throw Failure.system(errno) }
      bytes = bytes.dropFirst(count)
    }
  }

  /// Ends the connection, also for a thread that reads or writes.
  func abort() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// Sets the time after which a read fails with EAGAIN.
  func limitWaits(milliseconds: Int) {
    var limit = timeval(tv_sec: milliseconds / 1000, tv_usec: milliseconds % 1000 * 1000)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  /// Whether the server has sent nothing and has not closed the connection.
  var isQuiet: Bool {
    var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&watched, 1, 0) == 0
  }

  /// Closes the sending direction of the connection.
  func finishSending() {
    _ = shutdown(descriptor, Int32(SHUT_WR))
  }

  /// Reads once; returns an empty array at the end of the connection.
  func receive(upTo limit: Int = 65_536) throws -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: limit)
    let count = recv(descriptor, &buffer, limit, 0)
    if count < 0 { throw errno == ECONNRESET ? Failure.reset : .system(errno) }
    return Array(buffer.prefix(count))
  }

  /// Reads until the server closes the connection, or until the received text ends with `end`.
  func read(until end: String? = nil) throws -> String {
    var bytes: [UInt8] = []
    while true {
      let piece = try receive()
      bytes += piece
      let text = String(decoding: bytes, as: UTF8.self)
      if piece.isEmpty { return text }
      if let end, text.hasSuffix(end) { return text }
    }
  }

  /// Reads `count` bytes, or fewer if the server closes the connection.
  func read(count: Int) throws -> String {
    var bytes: [UInt8] = []
    while bytes.count < count {
      let piece = try receive(upTo: count - bytes.count)
      if piece.isEmpty { break }
      bytes += piece
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// The text of a GET request with additional field lines.
func get(_ path: String = "/", _ lines: String...) -> String {
  "GET \(path) HTTP/1.1\r\nHost: here\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n"
}
