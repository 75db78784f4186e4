import COpenSSL
import Glibc
import LupineFixtures

/// One connection of a scripted peer.
package protocol WireConnection {
  /// Reads exactly `count` bytes; `nil` if the client ends the connection earlier.
  func read(_ count: Int) -> [UInt8]?
  func write(_ bytes: [UInt8]) -> Bool
  /// Sends close_notify over TLS; does nothing without TLS.
  func end()
}

/// A connection without TLS.
package struct ClearConnection: WireConnection {
  private let descriptor: Int32

  package init(_ descriptor: Int32) { self.descriptor = descriptor }

  package func read(_ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    guard count > 0 else { return bytes }
    return recv(descriptor, &bytes, count, Int32(MSG_WAITALL)) == count ? bytes : nil
  }

  package func write(_ bytes: [UInt8]) -> Bool {
    send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
  }

  package func end() {}
}

/// A connection with TLS and with the certificate of `Fixtures` for localhost.
package final class TLSConnection: WireConnection {
  private let context: OpaquePointer
  private let connection: OpaquePointer

  /// Performs the handshake; `nil` if it fails.
  package init?(_ descriptor: Int32, isMultiplexed: Bool) {
    guard let context = SSL_CTX_new(TLS_server_method()) else { return nil }
    SSL_CTX_use_certificate_chain_file(context, Fixture.path("Certificates/localhost.pem"))
    SSL_CTX_use_PrivateKey_file(context, Fixture.path("Certificates/localhost.key.pem"), SSL_FILETYPE_PEM)
    if isMultiplexed { SSL_CTX_set_alpn_select_cb(context, Self.chooseHTTP2, nil) }
    guard let connection = SSL_new(context) else {
      SSL_CTX_free(context)
      return nil
    }
    self.context = context
    self.connection = connection
    SSL_set_fd(connection, descriptor)
    guard SSL_accept(connection) == 1 else { return nil }
  }

  deinit {
    SSL_free(connection)
    SSL_CTX_free(context)
  }

  package func read(_ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var got = 0
    while got < count {
      let read = bytes.withUnsafeMutableBytes {
        SSL_read(connection, $0.baseAddress?.advanced(by: got), Int32(count - got))
      }
      guard read > 0 else { return nil }
      got += Int(read)
    }
    return bytes
  }

  package func write(_ bytes: [UInt8]) -> Bool { SSL_write(connection, bytes, Int32(bytes.count)) == bytes.count }

  package func end() { SSL_shutdown(connection) }

  /// The result of a call that does not block.
  package enum Moved {
    case bytes([UInt8])
    case wouldBlock, end, failure
  }

  /// Receives what has arrived, if the socket does not block.
  package func receive() -> Moved {
    var bytes = [UInt8](repeating: 0, count: 16 << 10)
    let count = SSL_read(connection, &bytes, Int32(bytes.count))
    return count > 0 ? .bytes(Array(bytes[..<Int(count)])) : ending(count)
  }

  /// Sends bytes, of which it returns those that were sent, if the socket does not block.
  package func send(_ bytes: ArraySlice<UInt8>) -> Moved {
    let count = bytes.withUnsafeBytes { SSL_write(connection, $0.baseAddress, Int32($0.count)) }
    return count > 0 ? .bytes(Array(bytes.prefix(Int(count)))) : ending(count)
  }

  private func ending(_ code: Int32) -> Moved {
    defer { ERR_clear_error() }
    return switch SSL_get_error(connection, code) {
    case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: .wouldBlock
    case SSL_ERROR_ZERO_RETURN: .end
    default: .failure
    }
  }

  /// Sends a session ticket; false if the client has ended the connection.
  package func sendTicket() -> Bool {
    SSL_new_session_ticket(connection) == 1 && SSL_do_handshake(connection) == 1 && !isReset
  }

  /// Whether the client has closed the connection, which is no error for OpenSSL when it sends a ticket.
  private var isReset: Bool {
    var watched = pollfd(fd: SSL_get_fd(connection), events: 0, revents: 0)
    return poll(&watched, 1, 0) > 0
  }

  /// The protocol that ALPN selects (RFC 7301); its memory must outlive the handshake.
  private nonisolated(unsafe) static let http2: UnsafePointer<UInt8> = {
    let name = UnsafeMutablePointer<UInt8>.allocate(capacity: 2)
    name.initialize(to: 0x68)
    (name + 1).initialize(to: 0x32)
    return UnsafePointer(name)
  }()

  private static let chooseHTTP2: SSL_CTX_alpn_select_cb_func = { _, name, count, _, _, _ in
    name?.pointee = http2
    count?.pointee = 2
    return SSL_TLSEXT_ERR_OK
  }
}
