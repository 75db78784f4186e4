import Glibc

/// A listening socket on a free port of loopback, with one thread for itself and one for each connection.
package final class LoopbackListener: Sendable {
  package struct Failure: Error {
    package init() {}
  }

  package let port: UInt16
  private let descriptor: Int32

  /// - Parameters:
  ///   - backlog: the number of connections that wait to be accepted; with 0, the system lets one connection wait.
  ///   - hasSmallBuffer: whether each connection takes few bytes that have not been read.
  package init(backlog: Int32 = 64, hasSmallBuffer: Bool = false) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    if hasSmallBuffer { Self.limitBuffer(of: descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = descriptor
    let isReady = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) == 0 && listen(listener, backlog) == 0 && getsockname(listener, $0, &length) == 0
      }
    }
    guard isReady else { throw Failure() }
    port = UInt16(bigEndian: address.sin_port)
  }

  /// Calls `serve` with each connection until `stop()`, and closes the connection when `serve` returns.
  package func start(_ serve: @escaping @Sendable (Int32) -> Void) {
    Self.run { [descriptor] in
      while true {
        let connection = accept(descriptor, nil, nil)
        guard connection >= 0 else { break }
        var isOn: Int32 = 1
        setsockopt(connection, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
        Self.run {
          serve(connection)
          close(connection)
        }
      }
      close(descriptor)
    }
  }

  package func stop() { shutdown(descriptor, Int32(SHUT_RDWR)) }

  private static func limitBuffer(of descriptor: Int32) {
    let size = socklen_t(MemoryLayout<Int32>.size)
    var (segment, buffer) = (Int32(536), Int32(4_096))
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_MAXSEG, &segment, size)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &buffer, size)
  }

  private final class Work: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Runs work on a new thread that blocks SIGPIPE, so that a client that disconnects does not end the process.
  private static func run(_ work: @escaping @Sendable () -> Void) {
    var thread = pthread_t()
    let box = Unmanaged.passRetained(Work(work))
    let code = pthread_create(
      &thread, nil,
      { context in
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        if let context { Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run() }
        return nil
      }, box.toOpaque())
    if code == 0 { pthread_detach(thread) } else { box.release() }
  }
}
