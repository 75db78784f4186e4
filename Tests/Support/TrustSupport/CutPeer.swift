import COpenSSL
import Glibc
package import LupineCore
import LupineFixtures
import PeerSupport
import Synchronization

/// A server with TLS on loopback whose connections end, by FIN, after a number of encrypted bytes.
package final class CutPeer: Sendable {
  /// What a connection has sent completely.
  package enum Milestone: Sendable {
    case none, handshake, response
    /// The response and close_notify.
    case close
  }

  private struct Cut {
    var count = 0
    var isAfterHandshake = false
  }

  /// What each connection has sent completely, in the order of their ends.
  package let milestones: AsyncStream<Milestone>
  private let yield: AsyncStream<Milestone>.Continuation
  private let listener: LoopbackListener
  private let version: TLSVersion
  private let answer: [UInt8]
  private let cut = Mutex(Cut())

  package var url: String { "https://127.0.0.1:\(listener.port)/" }

  package init(_ version: TLSVersion, answer: String) throws {
    self.version = version
    self.answer = Array(answer.utf8)
    (milestones, yield) = AsyncStream.makeStream()
    listener = try LoopbackListener()
    listener.start { [self] in serve($0) }
  }

  package func stop() { listener.stop() }

  /// Ends the next connections after `count` bytes, of all or of those after the handshake.
  package func cut(after count: Int, isAfterHandshake: Bool = false) {
    cut.withLock { $0 = Cut(count: count, isAfterHandshake: isAfterHandshake) }
  }

  private func serve(_ descriptor: Int32) {
    let cut = cut.withLock { $0 }
    if let connection = CutConnection(descriptor, version, limit: cut.isAfterHandshake ? .max : cut.count) {
      yield.yield(run(connection, cut))
    }
    shutdown(descriptor, Int32(SHUT_WR))
    // Unread bytes would make the kernel reset the connection.
    var rest = [UInt8](repeating: 0, count: 4096)
    while recv(descriptor, &rest, rest.count, 0) > 0 {}
  }

  private func run(_ connection: CutConnection, _ cut: Cut) -> Milestone {
    guard connection.accept() else { return .none }
    if cut.isAfterHandshake { connection.limit = connection.sentCount + cut.count }
    guard connection.readHead(), connection.write(answer) else { return .handshake }
    return connection.end() ? .close : .response
  }
}

/// A connection whose records pass through memory, so that the socket can get a part of a record.
private final class CutConnection {
  private let descriptor: Int32
  private let connection: OpaquePointer
  var limit: Int
  private(set) var sentCount = 0

  init?(_ descriptor: Int32, _ version: TLSVersion, limit: Int) {
    guard let context = SSL_CTX_new(TLS_server_method()) else { return nil }
    defer { SSL_CTX_free(context) }
    let number = version == .tls1_2 ? TLS1_2_VERSION : TLS1_3_VERSION
    lupine_client_prepare(context, number, number, 16 << 10)
    // Tickets would follow the handshake.
    SSL_CTX_set_num_tickets(context, 0)
    SSL_CTX_use_certificate_chain_file(context, Fixture.path("Certificates/localhost.pem"))
    SSL_CTX_use_PrivateKey_file(context, Fixture.path("Certificates/localhost.key.pem"), SSL_FILETYPE_PEM)
    guard let connection = SSL_new(context) else { return nil }
    SSL_set_bio(connection, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()))
    self.connection = connection
    self.descriptor = descriptor
    self.limit = limit
  }

  deinit { SSL_free(connection) }

  /// Performs the handshake; false if the connection ends first.
  func accept() -> Bool {
    while SSL_accept(connection) != 1 {
      guard flush(), feed() else { return false }
    }
    return flush()
  }

  func readHead() -> Bool {
    var head = ""
    var bytes = [UInt8](repeating: 0, count: 4096)
    while !head.hasSuffix("\r\n\r\n") {
      let count = SSL_read(connection, &bytes, Int32(bytes.count))
      if count > 0 {
        head += String(decoding: bytes[..<Int(count)], as: UTF8.self)
      } else if !feed() {
        return false
      }
    }
    return true
  }

  func write(_ bytes: [UInt8]) -> Bool { SSL_write(connection, bytes, Int32(bytes.count)) > 0 && flush() }

  /// Sends close_notify.
  func end() -> Bool {
    SSL_shutdown(connection)
    return flush()
  }

  /// Sends what OpenSSL has written; false if the limit cuts it.
  private func flush() -> Bool {
    var bytes = [UInt8](repeating: 0, count: 64 << 10)
    let count = max(0, Int(BIO_read(SSL_get_wbio(connection), &bytes, Int32(bytes.count))))
    let sent = min(count, limit - sentCount)
    sentCount += sent
    return send(descriptor, bytes, sent, Int32(MSG_NOSIGNAL)) == sent && sent == count
  }

  private func feed() -> Bool {
    var bytes = [UInt8](repeating: 0, count: 16 << 10)
    let count = recv(descriptor, &bytes, bytes.count, 0)
    guard count > 0 else { return false }
    return BIO_write(SSL_get_rbio(connection), bytes, Int32(count)) == count
  }
}
