import COpenSSL
import Glibc
import LupineFixtures
import LupineTesting
import Synchronization

/// A server of HTTP/1.1 over TLS on `localhost`, whose script decides the TLS records of each response.
final class TLSPeer: Sendable {
  /// A response as bytes; each element of `records` is sent in one TLS record.
  struct Reply: Sendable {
    var records: [[UInt8]]
    /// Opened when the kernel has accepted all records, or when a write has failed.
    var sent: Gate?
  }

  let port: UInt16
  private let listener: Int32
  private let script: @Sendable (_ path: String, _ index: Int) -> Reply
  private let accepted = Atomic(0)

  var url: String { "https://localhost:\(port)" }
  var connectionCount: Int { accepted.load(ordering: .relaxed) }

  /// - Parameter script: returns the response to a request from its path and its index on the connection.
  init(script: @escaping @Sendable (_ path: String, _ index: Int) -> Reply) throws {
    self.script = script
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = listener
    let isReady = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && listen(descriptor, 64) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    guard isReady else { throw Failure() }
    port = UInt16(bigEndian: address.sin_port)
    Self.start { [self] in accept() }
  }

  struct Failure: Error {}

  /// Frees the port; each connection lasts until its client closes it.
  func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

  private func accept() {
    let context = SSL_CTX_new(TLS_server_method())
    let name = Fixture.path("Certificates/localhost")
    SSL_CTX_use_certificate_chain_file(context, name + ".pem")
    SSL_CTX_use_PrivateKey_file(context, name + ".key.pem", SSL_FILETYPE_PEM)
    while true {
      let descriptor = Glibc.accept(listener, nil, nil)
      guard descriptor >= 0 else { break }
      accepted.add(1, ordering: .relaxed)
      var isOn: Int32 = 1
      setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
      let connection = SSL_new(context)
      SSL_set_fd(connection, descriptor)
      let address = connection.map { UInt(bitPattern: $0) }
      Self.start { [self] in
        let connection = address.flatMap { OpaquePointer(bitPattern: $0) }
        serve(connection)
        SSL_free(connection)
        close(descriptor)
      }
    }
    SSL_CTX_free(context)
    close(listener)
  }

  private func serve(_ connection: OpaquePointer?) {
    guard SSL_accept(connection) == 1 else { return }
    var index = 0
    while let head = Self.head(from: connection) {
      let reply = script(String(head.split(separator: " ").dropFirst().first ?? ""), index)
      defer { reply.sent?.open() }
      for record in reply.records where !record.isEmpty {
        guard SSL_write(connection, record, Int32(record.count)) > 0 else { return }
      }
      index += 1
    }
  }

  private static func head(from connection: OpaquePointer?) -> String? {
    var text = ""
    var bytes = [UInt8](repeating: 0, count: 4_096)
    while !text.hasSuffix("\r\n\r\n") {
      let count = SSL_read(connection, &bytes, Int32(bytes.count))
      guard count > 0 else { return nil }
      text += String(decoding: bytes[..<Int(count)], as: UTF8.self)
    }
    return text
  }

  private final class Work: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  private static func start(_ run: @escaping @Sendable () -> Void) {
    var thread = pthread_t()
    let work = Unmanaged.passRetained(Work(run))
    let code = pthread_create(
      &thread, nil,
      { context in
        // A write to a closed connection then fails, and raises no signal.
        var blocked = sigset_t()
        sigemptyset(&blocked)
        sigaddset(&blocked, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &blocked, nil)
        if let context { Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run() }
        return nil
      }, work.toOpaque())
    if code == 0 { pthread_detach(thread) } else { work.release() }
  }
}
