import Glibc

/// A server on loopback that writes its port to its output.
///
/// To a GET it answers with as many zeros as the path says, to anything else with the number of bytes it was sent.
public enum BodyServer {
  /// Serves until the process is ended.
  public static func run() throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, length) == 0 && listen(listener, 16) == 0
          && getsockname(listener, address, &length) == 0
      }
    }
    guard isListening else { throw MeasureError("the server cannot listen: errno \(errno)") }
    print(UInt16(bigEndian: address.sin_port))
    fflush(nil)
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let connection = accept(listener, nil, nil)
      guard connection >= 0 else { continue }
      while answer(connection, &buffer) {}
      close(connection)
    }
  }

  /// Answers one request; false at the connection's end.
  private static func answer(_ connection: Int32, _ buffer: inout [UInt8]) -> Bool {
    var head = ""
    while !head.hasSuffix("\r\n\r\n") {
      var byte: UInt8 = 0
      guard recv(connection, &byte, 1, 0) == 1 else { return false }
      head.unicodeScalars.append(UnicodeScalar(byte))
    }
    let length = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
      .flatMap { Int($0.dropFirst(15).drop { $0 == " " }) }
    if head.hasPrefix("GET /") { return give(Int(head.dropFirst(5).prefix { $0.isNumber }) ?? 0, connection) }
    var rest = length ?? 0
    while rest > 0 {
      // Received bytes are dropped by the kernel, without a copy.
      let count = recv(connection, &buffer, min(rest, buffer.count), Int32(MSG_TRUNC))
      guard count > 0 else { return false }
      rest -= count
    }
    let text = String(length ?? 0)
    return send("HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)", connection)
  }

  private static func give(_ size: Int, _ connection: Int32) -> Bool {
    guard send("HTTP/1.1 200 OK\r\nETag: \"x\"\r\nContent-Length: \(size)\r\n\r\n", connection) else { return false }
    var rest = size
    let piece = [UInt8](repeating: 0, count: 1 << 20)
    while rest > 0 {
      let count = Glibc.send(connection, piece, min(rest, piece.count), Int32(MSG_NOSIGNAL))
      guard count > 0 else { return false }
      rest -= count
    }
    return true
  }

  private static func send(_ text: String, _ connection: Int32) -> Bool {
    Glibc.send(connection, text, text.utf8.count, Int32(MSG_NOSIGNAL)) == text.utf8.count
  }
}
