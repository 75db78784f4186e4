import COpenSSL
import Glibc
import LupineFixtures

/// One connection of a scripted peer: over TLS with HTTP/2 negotiated through ALPN, or without TLS.
struct PeerWire {
  private let descriptor: Int32
  private let connection: OpaquePointer?

  /// Takes ownership of a connection; `nil` if the handshake fails.
  init?(_ descriptor: Int32, isSecured: Bool) {
    self.descriptor = descriptor
    guard isSecured else {
      connection = nil
      return
    }
    guard let connection = Self.secured(descriptor) else { return nil }
    self.connection = connection
  }

  private static func secured(_ descriptor: Int32) -> OpaquePointer? {
    // OpenSSL writes without MSG_NOSIGNAL, and the client may have closed the connection.
    signal(SIGPIPE, SIG_IGN)
    guard let context = SSL_CTX_new(TLS_server_method()) else { return nil }
    defer { SSL_CTX_free(context) }
    SSL_CTX_use_certificate_chain_file(context, Fixture.path("Certificates/localhost.pem"))
    SSL_CTX_use_PrivateKey_file(context, Fixture.path("Certificates/localhost.key.pem"), 1)
    SSL_CTX_set_alpn_select_cb(
      context,
      { _, chosen, length, offered, count, _ in
        guard let offered, let chosen, let length else { return 3 }
        var place = 0
        while place < Int(count) {
          let size = Int(offered[place])
          if size == 2, offered[place + 1] == 0x68, offered[place + 2] == 0x32 {
            chosen.pointee = offered + place + 1
            length.pointee = 2
            return 0
          }
          place += 1 + size
        }
        return 3
      }, nil)
    guard let connection = SSL_new(context) else { return nil }
    guard SSL_set_fd(connection, descriptor) == 1, SSL_accept(connection) == 1 else {
      SSL_free(connection)
      return nil
    }
    return connection
  }

  /// Ends TLS and closes the connection.
  func close() {
    if let connection {
      SSL_shutdown(connection)
      SSL_free(connection)
    }
    Glibc.close(descriptor)
  }

  func write(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes { bytes in
        let start = bytes.baseAddress?.advanced(by: sent)
        guard let connection else { return send(descriptor, start, bytes.count - sent, Int32(MSG_NOSIGNAL)) }
        return Int(SSL_write(connection, start, Int32(bytes.count - sent)))
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  func read(_ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var got = 0
    while got < count {
      let read = bytes.withUnsafeMutableBytes { bytes in
        let start = bytes.baseAddress?.advanced(by: got)
        guard let connection else { return recv(descriptor, start, count - got, 0) }
        return Int(SSL_read(connection, start, Int32(count - got)))
      }
      guard read > 0 else { return nil }
      got += read
    }
    return bytes
  }
}
