import Glibc
import LupineCore
import LupineTesting
import PeerSupport
import Testing
import TransportSupport

@testable import LupineCurl

/// Connection attempts that libcurl gives up and closes without its callback for closing a socket (curl#11439).
@Suite(.timeLimit(.minutes(1))) struct AbandonedAttemptTests {
  private static let reason = LupineError(.cancelled, "The test has changed its mind.")

  @Test func `the cancelled attempt to a server that accepts no connection is not counted as open`() async throws {
    let listener = try LoopbackListener(backlog: 0)
    let filler = try Filler(port: listener.port)
    let client = Client()
    for _ in 1...3 {
      let control = ExchangeControl()
      async let failure = client.failure("http://127.0.0.1:\(listener.port)/", control: control)
      while await client.transport.connectionPool()?.open == 0 { await Task.yield() }
      control.cancel(Self.reason)
      #expect(await failure?.kind == .cancelled)
      #expect(await client.transport.connectionPool() == ConnectionPoolSnapshot())
    }
    withExtendedLifetime(filler) { listener.stop() }
    await client.transport.shutdown()
  }

  @Test func `an attempt that times out is not counted as open`() async throws {
    let listener = try LoopbackListener(backlog: 0)
    let filler = try Filler(port: listener.port)
    var client = Client()
    client.connectTimeout = .milliseconds(50)
    #expect(await client.failure("http://127.0.0.1:\(listener.port)/")?.kind == .timedOut(.connect))
    #expect(await client.transport.connectionPool() == ConnectionPoolSnapshot())
    withExtendedLifetime(filler) { listener.stop() }
    await client.transport.shutdown()
  }

  @Test func `a cancelled TLS handshake is not counted as open`() async throws {
    let (begun, ended) = (Gate(), Gate())
    let listener = try LoopbackListener()
    listener.start { descriptor in
      guard ClearConnection(descriptor).read(1) != nil else { return }
      begun.open()
      try? ended.blockUntilOpen()
    }
    defer { ended.open() }
    let client = Client.trusting(isNative: false)
    let control = ExchangeControl()
    async let failure = client.failure("https://127.0.0.1:\(listener.port)/", control: control)
    try await begun.opened()
    control.cancel(Self.reason)
    #expect(await failure?.kind == .cancelled)
    #expect(await client.transport.connectionPool() == ConnectionPoolSnapshot())
    listener.stop()
    await client.transport.shutdown()
  }

  /// The descriptor's number belongs to another socket before the watchdog looks at it.
  @Test func `a socket that has the number of a closed connection is not ended`() throws {
    let connections = try OpenConnections()
    let (abandoned, foreign) = (try Pair(), try Pair())
    connections.insert(abandoned.first, id: 1)
    #expect(connections.isOpen(abandoned.first))
    #expect(dup2(foreign.first, abandoned.first) == abandoned.first)
    #expect(!connections.isOpen(abandoned.first))
    #expect(try Self.isEnded(connections, abandoned.first, sentBy: foreign.second) == false)
  }

  @Test func `an open connection from which much is read is ended`() throws {
    let connections = try OpenConnections()
    let pair = try Pair()
    connections.insert(pair.first, id: 1)
    #expect(try Self.isEnded(connections, pair.first, sentBy: pair.second))
  }

  /// Ends the busiest connection after bytes have been read from a descriptor; returns whether that was ended.
  private static func isEnded(_ connections: OpenConnections, _ descriptor: Int32, sentBy peer: Int32) throws -> Bool {
    #expect(write(peer, "abcd", 4) == 4)
    var bytes = [UInt8](repeating: 0, count: 2)
    connections.sample()
    for _ in 1...2 {
      #expect(read(descriptor, &bytes, 2) == 2)
      connections.updateSample()
    }
    connections.closeBusiest()
    let isEnded = !connections.takeEndedConnections().isEmpty
    // The peer of an ended socket is closed.
    #expect((send(peer, "e", 1, Int32(MSG_NOSIGNAL)) == 1) == !isEnded)
    return isEnded
  }

  /// Two connected sockets.
  private final class Pair {
    let first: Int32
    let second: Int32

    init() throws {
      var descriptors: [Int32] = [-1, -1]
      guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &descriptors) == 0 else {
        throw LoopbackListener.Failure()
      }
      (first, second) = (descriptors[0], descriptors[1])
    }

    deinit {
      close(first)
      close(second)
    }
  }

  /// A connection that fills the queue of a listener whose backlog is 0.
  private final class Filler {
    private let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)

    init(port: UInt16) throws {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      let isConnected = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
      }
      guard isConnected else { throw LoopbackListener.Failure() }
    }

    deinit { close(descriptor) }
  }
}
