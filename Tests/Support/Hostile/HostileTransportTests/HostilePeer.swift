import Glibc

/// A server on loopback that answers each connection with the same bytes, and ends it.
final class HostilePeer: Sendable {
  struct Failure: Error {}

  let port: UInt16
  private let listener: Int32

  /// - Parameter pieces: each is written by a call of its own, after the head of the first request.
  init(_ pieces: [[UInt8]]) throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isReady = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) == 0 && listen(listener, 64) == 0 && getsockname(listener, $0, &length) == 0
      }
    }
    guard isReady else { throw Failure() }
    self.listener = listener
    port = UInt16(bigEndian: address.sin_port)
    let work = Unmanaged.passRetained(Work(listener, pieces))
    var thread = pthread_t()
    let code = pthread_create(
      &thread, nil,
      { context in
        if let context { Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run() }
        return nil
      }, work.toOpaque())
    guard code == 0 else {
      work.release()
      throw Failure()
    }
    pthread_detach(thread)
  }

  deinit { shutdown(listener, Int32(SHUT_RDWR)) }

  /// The work of the server's thread.
  private final class Work: Sendable {
    private let listener: Int32
    private let pieces: [[UInt8]]

    init(_ listener: Int32, _ pieces: [[UInt8]]) {
      self.listener = listener
      self.pieces = pieces
    }

    func run() {
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { break }
        serve(connection)
        close(connection)
      }
      close(listener)
    }

    private func serve(_ connection: Int32) {
      var isOn: Int32 = 1
      setsockopt(connection, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
      var head: [UInt8] = []
      var byte: UInt8 = 0
      while !head.suffix(4).elementsEqual([13, 10, 13, 10]) {
        guard recv(connection, &byte, 1, 0) == 1 else { return }
        head.append(byte)
      }
      for piece in pieces {
        guard send(connection, piece, piece.count, Int32(MSG_NOSIGNAL)) == piece.count else { return }
      }
      // Ends what the server sends, and waits until the client closes the connection, so that it is not reset.
      shutdown(connection, Int32(SHUT_WR))
      var rest = [UInt8](repeating: 0, count: 4_096)
      while recv(connection, &rest, rest.count, 0) > 0 {}
    }
  }
}
