import Glibc
import Lupine

/// A program without libcurl, whose default session uses the native transport.
///
/// If the environment variable `LUPINE_TRANSPORT` names another transport, the requests of the default session fail and
/// name the variable.
@main struct OverNative {
  struct Surprise: Error {
    let what: String
  }

  static func main() async throws {
    let server = try Server()
    let name = getenv("LUPINE_TRANSPORT").map { String(cString: $0) } ?? ""
    if ["", "native"].contains(name) {
      async let text = Lupine.request(server.url).validate().serializingString().value
      try server.answer("from the default session")
      print(try await text)
      let session = try Session.Builder().standardDefaults().build()
      async let own = session.request(server.url).validate().serializingString().value
      try server.answer("from a session with standardDefaults()")
      print(try await own)
    } else {
      let response = await Lupine.request(server.url).serializingString().response
      guard let error = response.error, case .configuration(let issues) = error.kind,
        issues.map(\.part) == ["LUPINE_TRANSPORT"]
      else { throw Surprise(what: "an unknown transport answered \(response)") }
      print(error.message)
    }
  }
}

/// A server on loopback that answers one request of a connection.
struct Server {
  let url: String
  private let descriptor: Int32

  init() throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = descriptor
    let isListening = withUnsafeMutableBytes(of: &address) { bytes in
      bytes.withMemoryRebound(to: sockaddr.self) { address in
        bind(listener, address.baseAddress, length) == 0 && listen(listener, 1) == 0
          && getsockname(listener, address.baseAddress, &length) == 0
      }
    }
    guard isListening else { throw OverNative.Surprise(what: "no port is free: \(errno)") }
    url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))/"
  }

  /// Accepts a connection, answers its first request with a text, and closes it.
  func answer(_ text: String) throws {
    let connection = accept(descriptor, nil, nil)
    defer { close(connection) }
    var request: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4096)
    while !request.suffix(4).elementsEqual("\r\n\r\n".utf8) {
      let count = read(connection, &piece, piece.count)
      guard count > 0 else { throw OverNative.Surprise(what: "the request ended early") }
      request += piece[..<count]
    }
    let response = Array("HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)".utf8)
    guard write(connection, response, response.count) == response.count else {
      throw OverNative.Surprise(what: "the response was not taken")
    }
  }
}
