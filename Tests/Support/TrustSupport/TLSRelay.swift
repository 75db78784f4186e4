import COpenSSL
import Dispatch
import Glibc
import LupineFixtures
import PeerSupport
import Synchronization

/// A server with TLS on loopback that passes the bytes of each connection to and from a server in clear text.
///
/// It passes on how each side ends: in order, or with a reset.
package final class TLSRelay: Sendable {
  package var port: UInt16 { listener.port }
  private let target: UInt16
  private let listener: LoopbackListener
  private let connections = Mutex<[RelayProgress]>([])

  /// - Parameter target: the port of the server on loopback.
  package init(to target: UInt16) throws {
    self.target = target
    listener = try LoopbackListener()
    listener.start { [self] in serve($0) }
  }

  package func stop() { listener.stop() }

  /// Blocks the calling thread until the relay has passed on all bytes that have arrived from either side.
  ///
  /// Bytes whose receiver does not read are not waited for. The relay uses its own threads, so that the caller may be a
  /// thread of Swift's cooperative pool.
  package func waitUntilIdle() {
    for connection in connections.withLock({ $0 }) { connection.waitUntilIdle() }
  }

  private func serve(_ client: Int32) {
    guard let secured = TLSConnection(client, isMultiplexed: false), let server = Self.connect(to: target) else {
      return
    }
    let progress = RelayProgress()
    connections.withLock { $0.append(progress) }
    let relay = RelayedConnection(secured, client, server, progress)
    relay.run()
    connections.withLock { connections in connections.removeAll { $0 === progress } }
    // Before the descriptors are closed, because other threads poll them.
    progress.end()
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
  private let progress: RelayProgress
  private var toClient: ArraySlice<UInt8> = []
  private var toServer: ArraySlice<UInt8> = []
  private var hasClientEnded = false
  private var hasServerEnded = false

  init(_ secured: TLSConnection, _ client: Int32, _ server: Int32, _ progress: RelayProgress) {
    self.secured = secured
    self.client = client
    self.server = server
    self.progress = progress
    for descriptor in [client, server] { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
  }

  /// Passes bytes on until both sides have ended, or one has failed.
  func run() {
    while readClient(), readServer(), writeServer(), writeClient(), !(hasClientEnded && hasServerEnded) {
      // OpenSSL holds no bytes of the client back: `receive` takes a whole record, which has at most 16 KiB.
      var polled = [
        polling(client, reads: toServer.isEmpty && !hasClientEnded, writes: !toClient.isEmpty),
        polling(server, reads: toClient.isEmpty && !hasServerEnded, writes: !toServer.isEmpty),
      ]
      progress.beginWaiting(for: polled)
      poll(&polled, 2, -1)
      progress.endWaiting()
    }
  }

  /// Returns what to poll for on one side; a side without events is left out, because `poll` would report its end
  /// again and again.
  private func polling(_ descriptor: Int32, reads: Bool, writes: Bool) -> pollfd {
    let events = Int16((reads ? POLLIN : 0) | (writes ? POLLOUT : 0))
    return pollfd(fd: events == 0 ? -1 : descriptor, events: events, revents: 0)
  }

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

/// Whether the thread of one connection of a ``TLSRelay`` can pass bytes on; any thread may wait until it cannot.
private final class RelayProgress: Sendable {
  private struct State {
    /// The descriptors that the thread polls; `nil` while it passes bytes on.
    var polled: [pollfd]?
    var hasEnded = false
    /// Signalled when the thread polls again or ends.
    var observers: [DispatchSemaphore] = []

    /// Whether the thread polls and stays there, because nothing that it polls for is ready.
    var isIdle: Bool {
      guard var polled else { return false }
      var count: Int32
      repeat { count = poll(&polled, nfds_t(polled.count), 0) } while count < 0 && errno == EINTR
      return count == 0
    }
  }

  private let state = Mutex(State())

  /// Records that the thread has passed on what it could, and polls next.
  func beginWaiting(for polled: [pollfd]) { update { $0.polled = polled } }

  /// Records that the poll has returned.
  func endWaiting() { state.withLock { $0.polled = nil } }

  /// Records that the connection passes on no more bytes; its descriptors are not used afterwards.
  func end() { update { ($0.polled, $0.hasEnded) = (nil, true) } }

  /// Changes the state and lets the observers look at it.
  private func update(_ change: (inout State) -> Void) {
    let observers = state.withLock { state in
      change(&state)
      defer { state.observers = [] }
      return state.observers
    }
    for observer in observers { observer.signal() }
  }

  /// Blocks the calling thread until the connection is idle or has ended.
  func waitUntilIdle() {
    while let change = nextChange() { change.wait() }
  }

  /// Returns what is signalled at the next change; `nil` if the connection is idle or has ended.
  private func nextChange() -> DispatchSemaphore? {
    state.withLock { state in
      if state.hasEnded || state.isIdle { return nil }
      let change = DispatchSemaphore(value: 0)
      state.observers.append(change)
      return change
    }
  }
}
