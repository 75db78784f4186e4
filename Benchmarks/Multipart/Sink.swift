import Glibc

/// A server on loopback that throws every body away as cheaply as it can; it writes its port to its output.
enum Sink {
  static func run() throws {
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
    guard isListening else { throw MeasureError("the sink cannot listen: errno \(errno)") }
    print(UInt16(bigEndian: address.sin_port))
    fflush(nil)
    while true {
      let connection = accept(listener, nil, nil)
      guard connection >= 0 else { continue }
      serve(connection)
      close(connection)
    }
  }

  private static func serve(_ connection: Int32) {
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    var pending: [UInt8] = []
    while true {
      var end: Int?
      while end == nil {
        let count = recv(connection, &buffer, 16 << 10, 0)
        guard count > 0 else { return }
        pending += buffer[..<count]
        end = headEnd(pending)
      }
      guard let end, let length = contentLength(pending[..<end]) else { return }
      var rest = length - (pending.count - end)
      while rest > 0 {
        // Received bytes are dropped by the kernel, without a copy.
        let count = recv(connection, &buffer, min(rest, buffer.count), Int32(MSG_TRUNC))
        guard count > 0 else { return }
        rest -= count
      }
      pending = []
      let reply = Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8)
      guard send(connection, reply, reply.count, Int32(MSG_NOSIGNAL)) == reply.count else { return }
    }
  }

  private static func headEnd(_ bytes: [UInt8]) -> Int? {
    guard bytes.count >= 4 else { return nil }
    return (4...bytes.count).first { bytes[($0 - 4)..<$0].elementsEqual([13, 10, 13, 10]) }
  }

  private static func contentLength(_ head: ArraySlice<UInt8>) -> Int? {
    for line in String(decoding: head, as: UTF8.self).split(separator: "\r\n")
    where line.lowercased().hasPrefix("content-length:") {
      return Int(line.dropFirst(15).drop { $0 == " " })
    }
    return nil
  }
}
