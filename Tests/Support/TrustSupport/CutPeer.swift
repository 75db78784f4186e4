import COpenSSL
import Glibc
package import LupineCore
import LupineFixtures
import PeerSupport
import Synchronization

/// A server with TLS on loopback whose connections end, by FIN, after a number of encrypted bytes.
///
/// As a proxy with TLS it is also the server at the end of its tunnels, which have TLS within TLS.
package final class CutPeer: Sendable {
  /// The last part that a connection has sent completely; the handshake is the one with the server.
  package enum Milestone: Sendable {
    case none, handshake, response
    /// The response and close_notify.
    case close
  }

  private struct Cut {
    var count = 0
    var isAfterHandshake = false
  }

  /// The milestone of each connection, in the order of their ends.
  package let milestones: AsyncStream<Milestone>
  private let yield: AsyncStream<Milestone>.Continuation
  private let listener: LoopbackListener
  private let version: TLSVersion
  private let answer: [UInt8]
  private let isProxy: Bool
  private let cut = Mutex(Cut())

  package var url: String { "https://127.0.0.1:\(listener.port)/" }

  package init(_ version: TLSVersion, answer: String, isProxy: Bool = false) throws {
    self.version = version
    self.isProxy = isProxy
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
    let socket = CutSocket(descriptor, limit: cut.isAfterHandshake ? .max : cut.count)
    yield.yield(run(socket, cut))
    shutdown(descriptor, Int32(SHUT_WR))
    // Unread bytes would make the kernel reset the connection.
    while socket.receive() != nil {}
  }

  private func run(_ socket: CutSocket, _ cut: Cut) -> Milestone {
    guard let connection = isProxy ? tunnel(over: socket) : CutConnection(over: socket, version), connection.accept()
    else { return .none }
    if cut.isAfterHandshake { socket.limit = socket.sentCount + cut.count }
    guard connection.readHead(), connection.write(answer) else { return .handshake }
    return connection.end() ? .close : .response
  }

  /// Returns the connection within the tunnel; `nil` if the one with the proxy ends before.
  private func tunnel(over socket: CutSocket) -> CutConnection? {
    guard let connection = CutConnection(over: socket, version), connection.accept(), connection.readHead(),
      connection.write(Array("HTTP/1.1 200 OK\r\n\r\n".utf8))
    else { return nil }
    return CutConnection(over: connection, version)
  }
}

/// Carries the records of a connection.
private protocol RecordCarrier {
  /// Sends all bytes; false if the connection ends before.
  func write(_ bytes: [UInt8]) -> Bool
  func receive() -> [UInt8]?
}

/// A socket that takes a number of bytes, and no more.
private final class CutSocket: RecordCarrier {
  private let descriptor: Int32
  var limit: Int
  private(set) var sentCount = 0

  init(_ descriptor: Int32, limit: Int) {
    self.descriptor = descriptor
    self.limit = limit
  }

  func write(_ bytes: [UInt8]) -> Bool {
    let count = min(bytes.count, limit - sentCount)
    sentCount += count
    return send(descriptor, bytes, count, Int32(MSG_NOSIGNAL)) == count && count == bytes.count
  }

  func receive() -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 16 << 10)
    let count = recv(descriptor, &bytes, bytes.count, 0)
    return count > 0 ? Array(bytes[..<count]) : nil
  }
}

/// A connection whose records pass through memory, so that the socket can get a part of a record.
private final class CutConnection: RecordCarrier {
  private let carrier: any RecordCarrier
  private let connection: OpaquePointer

  init?(over carrier: any RecordCarrier, _ version: TLSVersion) {
    guard let context = SSL_CTX_new(TLS_server_method()) else { return nil }
    defer { SSL_CTX_free(context) }
    let number = version == .tls1_2 ? TLS1_2_VERSION : TLS1_3_VERSION
    lupine_client_prepare(context, number, number)
    // Tickets would follow the handshake.
    SSL_CTX_set_num_tickets(context, 0)
    SSL_CTX_use_certificate_chain_file(context, Fixture.path("Certificates/localhost.pem"))
    SSL_CTX_use_PrivateKey_file(context, Fixture.path("Certificates/localhost.key.pem"), SSL_FILETYPE_PEM)
    guard let connection = SSL_new(context) else { return nil }
    SSL_set_bio(connection, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()))
    self.connection = connection
    self.carrier = carrier
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
    var head: [UInt8] = []
    while !head.suffix(4).elementsEqual([13, 10, 13, 10]) {
      guard let bytes = receive() else { return false }
      head += bytes
    }
    return true
  }

  func write(_ bytes: [UInt8]) -> Bool { SSL_write(connection, bytes, Int32(bytes.count)) > 0 && flush() }

  func receive() -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 16 << 10)
    while true {
      let count = SSL_read(connection, &bytes, Int32(bytes.count))
      if count > 0 { return Array(bytes[..<Int(count)]) }
      guard feed() else { return nil }
    }
  }

  /// Sends close_notify.
  func end() -> Bool {
    SSL_shutdown(connection)
    return flush()
  }

  /// Sends what OpenSSL has written; false if the limit cuts it.
  private func flush() -> Bool {
    var bytes = [UInt8](repeating: 0, count: 64 << 10)
    let count = max(0, Int(BIO_read(SSL_get_wbio(connection), &bytes, Int32(bytes.count))))
    return count == 0 || carrier.write(Array(bytes[..<count]))
  }

  private func feed() -> Bool {
    guard let bytes = carrier.receive() else { return false }
    return BIO_write(SSL_get_rbio(connection), bytes, Int32(bytes.count)) == bytes.count
  }
}
