import COpenSSL
import Glibc
import LupineCore
import LupineFixtures
import Synchronization

/// The server's side of a connection with TLS whose records pass through memory, and whose keys are known.
final class RecordServer {
  enum Keys { case handshake, content }

  private let descriptor: Int32
  private let version: TLSVersion
  private let context: OpaquePointer
  private let connection: OpaquePointer

  init?(_ descriptor: Int32, _ version: TLSVersion) {
    guard let context = SSL_CTX_new(TLS_server_method()) else { return nil }
    let number = version == .tls1_2 ? TLS1_2_VERSION : TLS1_3_VERSION
    lupine_client_prepare(context, number, number)
    SSL_CTX_set_cipher_list(context, "ECDHE-ECDSA-AES128-GCM-SHA256")
    SSL_CTX_set_ciphersuites(context, "TLS_AES_128_GCM_SHA256")
    // Tickets would count in the sequence of records. 1 << 14 is SSL_OP_NO_TICKET.
    SSL_CTX_set_num_tickets(context, 0)
    SSL_CTX_set_options(context, 1 << 14)
    SSL_CTX_use_certificate_chain_file(context, Fixture.path("Certificates/localhost.pem"))
    SSL_CTX_use_PrivateKey_file(context, Fixture.path("Certificates/localhost.key.pem"), SSL_FILETYPE_PEM)
    SSL_CTX_set_keylog_callback(context, Self.keysKnown)
    guard let connection = SSL_new(context) else {
      SSL_CTX_free(context)
      return nil
    }
    SSL_set_bio(connection, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()))
    SSL_set_accept_state(connection)
    self.context = context
    self.connection = connection
    self.descriptor = descriptor
    self.version = version
  }

  deinit {
    Self.log.withLock { $0[UInt(bitPattern: connection)] = nil }
    SSL_free(connection)
    SSL_CTX_free(context)
  }

  /// The secrets of each connection, by the names of the key log (RFC 9850).
  private static let log = Mutex<[UInt: [String: [UInt8]]]>([:])

  private static let keysKnown: SSL_CTX_keylog_cb_func = { connection, line in
    guard let connection, let line else { return }
    let words = String(cString: line).split(separator: " ")
    guard let name = words.first, let secret = words.last else { return }
    let digits = Array(secret.utf8)
    let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
      UInt8(String(decoding: digits[$0...($0 + 1)], as: UTF8.self), radix: 16)
    }
    log.withLock { $0[UInt(bitPattern: connection), default: [:]][String(name)] = bytes }
  }

  private func secret(_ name: String) -> [UInt8]? { Self.log.withLock { $0[UInt(bitPattern: connection)]?[name] } }

  /// Returns a writer of the server's next records; `nil` before the keys are known.
  func makeWriter(_ keys: Keys) -> SealedRecordWriter? {
    if version == .tls1_3 {
      return secret(keys == .content ? "SERVER_TRAFFIC_SECRET_0" : "SERVER_HANDSHAKE_TRAFFIC_SECRET")
        .map { SealedRecordWriter(secret: $0) }
    }
    var (server, client) = ([UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 32))
    SSL_get_server_random(connection, &server, server.count)
    SSL_get_client_random(connection, &client, client.count)
    return secret("CLIENT_RANDOM").map { TLSKeys.makeServerWriter($0, serverRandom: server, clientRandom: client) }
  }

  /// Receives a piece from the client; false at the end of the connection.
  func receive() -> Bool {
    var bytes = [UInt8](repeating: 0, count: 16 << 10)
    let count = recv(descriptor, &bytes, bytes.count, 0)
    return count > 0 && BIO_write(SSL_get_rbio(connection), bytes, Int32(count)) == count
  }

  /// Takes the records that OpenSSL has written.
  private func takeOutput() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 64 << 10)
    let count = max(0, Int(BIO_read(SSL_get_wbio(connection), &bytes, Int32(bytes.count))))
    return Array(bytes[..<count])
  }

  private func send(_ bytes: [UInt8]) -> Bool {
    bytes.isEmpty || ClearConnection(descriptor).write(bytes)
  }

  /// Performs the handshake; false if the connection ends first.
  func accept() -> Bool {
    while SSL_accept(connection) != 1 {
      guard send(takeOutput()), receive() else { return false }
    }
    return send(takeOutput())
  }

  /// Sends the first record that answers the ClientHello, and nothing more; false if the connection ends first.
  func sendServerHello() -> Bool {
    while true {
      guard receive() else { return false }
      _ = SSL_accept(connection)
      let output = takeOutput()
      guard output.count > 5 else { continue }
      return send(Array(output[..<min(output.count, 5 + (Int(output[3]) << 8 | Int(output[4])))]))
    }
  }

  /// Reads the head of a request; false if the connection ends first.
  func readHead() -> Bool {
    var head: [UInt8] = []
    while !head.suffix(4).elementsEqual([13, 10, 13, 10]) {
      var byte: UInt8 = 0
      if SSL_read(connection, &byte, 1) == 1 { head.append(byte) } else if !receive() { return false }
    }
    return true
  }
}
