import COpenSSL
import Glibc
import LupineFixtures
import PeerSupport

/// A server with TLS on loopback that passes the bytes of each connection to and from a server in clear text.
///
/// It passes on how each side ends: in order, or with a reset.
package final class TLSRelay: Sendable {
  package var port: UInt16 { listener.port }
  private let target: UInt16
  private let listener: LoopbackListener

  /// - Parameter target: the port of the server on loopback.
  package init(to target: UInt16) throws {
    self.target = target
    listener = try LoopbackListener()
    listener.start { [self] in serve($0) }
  }

  package func stop() { listener.stop() }

  private func serve(_ client: Int32) {
    guard let secured = TLSConnection(client, isMultiplexed: false), let server = Self.connect(to: target) else {
      return
    }
    let relay = RelayedConnection(secured, client, server)
    relay.run()
    close(server)
  }

  private static func connect(to port: UInt16) -> Int32? {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isConnected = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(descriptor, $0, length) == 0 }
    }
    if isConnected { return descriptor }
    close(descriptor)
    return nil
  }
}

/// One connection of a ``TLSRelay``, with its pair of sockets.
private final class RelayedConnection {
  private let secured: TLSConnection
  private let client: Int32
  private let server: Int32
  private var toClient: ArraySlice<UInt8> = []
  private var toServer: ArraySlice<UInt8> = []
  private var hasClientEnded = false
  private var hasServerEnded = false

  init(_ secured: TLSConnection, _ client: Int32, _ server: Int32) {
    self.secured = secured
    self.client = client
    self.server = server
    for descriptor in [client, server] { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
  }

  /// Passes bytes on until both sides have ended, or one has failed.
  func run() {
    while !(hasClientEnded && hasServerEnded) {
      guard readClient(), readServer(), writeServer(), writeClient() else { return }
      var polled = [
        pollfd(fd: client, events: events(reads: toServer.isEmpty && !hasClientEnded, !toClient.isEmpty), revents: 0),
        pollfd(fd: server, events: events(reads: toClient.isEmpty && !hasServerEnded, !toServer.isEmpty), revents: 0),
      ]
      poll(&polled, 2, -1)
    }
  }

  private func events(reads: Bool, _ writes: Bool) -> Int16 { Int16((reads ? POLLIN : 0) | (writes ? POLLOUT : 0)) }

  private func readClient() -> Bool {
    guard toServer.isEmpty, !hasClientEnded else { return true }
    switch secured.receive() {
    case .bytes(let bytes): toServer = bytes[...]
    case .wouldBlock: break
    case .end:
      hasClientEnded = true
      shutdown(server, Int32(SHUT_WR))
    case .failure: return reset(server)
    }
    return true
  }

  private func readServer() -> Bool {
    guard toClient.isEmpty, !hasServerEnded else { return true }
    var bytes = [UInt8](repeating: 0, count: 16 << 10)
    let count = recv(server, &bytes, bytes.count, 0)
    if count > 0 { toClient = bytes[..<count] }
    if count == 0 {
      hasServerEnded = true
      secured.end()
      shutdown(client, Int32(SHUT_WR))
    }
    return count >= 0 || errno == EAGAIN || reset(client)
  }

  private func writeServer() -> Bool {
    while !toServer.isEmpty {
      let count = toServer.withUnsafeBytes { send(server, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if count < 0 { return errno == EAGAIN || reset(client) }
      toServer = toServer.dropFirst(count)
    }
    return true
  }

  private func writeClient() -> Bool {
    while !toClient.isEmpty {
      switch secured.send(toClient) {
      case .bytes(let bytes): toClient = toClient.dropFirst(bytes.count)
      case .wouldBlock: return true
      case .end, .failure: return reset(server)
      }
    }
    return true
  }

  /// Makes the kernel reset a connection when it is closed; returns false.
  private func reset(_ descriptor: Int32) -> Bool {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
    return false
  }
}
