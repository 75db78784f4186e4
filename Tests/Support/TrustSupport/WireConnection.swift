import COpenSSL
import Glibc
import LupineFixtures

/// One connection of a ``WirePeer``.
protocol WireConnection {
  /// Reads exactly `count` bytes; `nil` if the client ends the connection earlier.
  func read(_ count: Int) -> [UInt8]?
  func write(_ bytes: [UInt8]) -> Bool
  /// Sends close_notify over TLS; does nothing without TLS.
  func end()
}

/// A connection without TLS.
struct ClearConnection: WireConnection {
  private let descriptor: Int32

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  func read(_ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    guard count > 0 else { return bytes }
    return recv(descriptor, &bytes, count, Int32(MSG_WAITALL)) == count ? bytes : nil
  }

  func write(_ bytes: [UInt8]) -> Bool {
    send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
  }

  func end() {}
}

/// A connection with TLS and with the certificate of `Fixtures` for localhost.
final class TLSConnection: WireConnection {
  private let context: OpaquePointer
  private let connection: OpaquePointer

  /// Performs the handshake; `nil` if it fails.
  init?(_ descriptor: Int32, isMultiplexed: Bool) {
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

  func read(_ count: Int) -> [UInt8]? {
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

  func write(_ bytes: [UInt8]) -> Bool { SSL_write(connection, bytes, Int32(bytes.count)) == bytes.count }

  func end() { SSL_shutdown(connection) }

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
