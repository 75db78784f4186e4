import Lupine
import LupineFixtures
import LupineMock
import LupineTesting
import Synchronization
import Testing
import TransportSupport

@testable import LupineCurl
@testable import LupineNative

/// Names that a session resolves itself because its SOCKS proxy receives addresses, with a test clock.
@Suite(.overEachTransport, .besidePeers, .timeLimit(.minutes(1))) struct SocksLookupTests {
  /// A resolver that answers when the test opens `mayAnswer`.
  private final class Resolver: Sendable {
    let isAsked = Gate()
    let mayAnswer = Gate()

    var resolver: HostResolver {
      HostResolver.blocking { [self] _ in
        isAsked.open()
        try? mayAnswer.blockUntilOpen()
        return .addresses([IPAddress("127.0.0.1")].compactMap(\.self))
      }
    }
  }

  private final class Resolutions: EventMonitor {
    private let hosts = Mutex<[String]>([])

    var all: [String] { hosts.withLock { $0 } }

    func receive(_ event: SessionEvent) {
      if case .nameResolved(let host, _) = event.kind { hosts.withLock { $0.append(host) } }
    }
  }

  private let resolver = Resolver()
  private let clock = TestClock()

  private func session(
    proxy: String?, connect: Duration = .seconds(30), _ change: (Session.Builder) -> Session.Builder = { $0 }
  ) throws -> Session {
    let proxy = try #require(proxy, "dante is not running: run the tests beside Tests/Support/Peers/with-peers")
    let transport: any Transport =
      TestTransport.isNative
      ? NativeTransport(resolver: resolver.resolver) : CurlTransport(resolver: resolver.resolver)
    let builder = Session.Builder().transport(transport).clock(clock)
      .timeouts(connect: connect, idle: nil).proxy("socks5://\(proxy)")
    return try change(builder).build()
  }

  @Test func `the time to connect ends the wait for a name`() async throws {
    let session = try session(proxy: "127.0.0.1:1")
    async let response = session.request("http://slow.example/").serializingData().response
    try await resolver.isAsked.opened()
    clock.advance(by: .seconds(30))
    #expect(await response.error?.kind == .timedOut(.connect))
    resolver.mayAnswer.open()
  }

  @Test func `a request that is cancelled does not wait for its name`() async throws {
    let request = try session(proxy: "127.0.0.1:1").request("http://slow.example/")
    async let response = request.serializingData().response
    try await resolver.isAsked.opened()
    request.cancel()
    #expect(await response.error?.kind == .cancelled)
    resolver.mayAnswer.open()
  }

  @Test func `a connection has what the lookup has left of the time to connect`() async throws {
    let silent = try SilentPort()
    let session = try session(proxy: "127.0.0.1:\(silent.port)", connect: .seconds(3_600))
    async let response = session.request("http://slow.example/").serializingData().response
    try await resolver.isAsked.opened()
    clock.advance(by: .seconds(3_600) - .milliseconds(80))
    resolver.mayAnswer.open()
    // libcurl waits for the rest on the system's clock, the native transport on the session's.
    if TestTransport.isNative { clock.advance(by: .milliseconds(80)) }
    #expect(await response.error?.kind == .timedOut(.connect))
  }

  @Test func `events and metrics have the lookup, also on a reused connection`() async throws {
    let server = try ScriptedServer(always: .respond(body: .text("welcome")))
    let resolutions = Resolutions()
    let session = try session(proxy: Peers.dante) { $0.monitor(resolutions) }
    resolver.mayAnswer.open()
    for isReused in [false, true] {
      let response = await session.request("http://fields.example:\(server.port)/").serializingString().response
      #expect(response.value == "welcome")
      let metrics = response.metrics
      #expect(metrics.isConnectionReused == isReused)
      #expect((metrics.connect == nil) == isReused)
      let times = [metrics.nameLookup, metrics.connect, metrics.firstByte, metrics.total].compactMap(\.self)
      #expect(times == times.sorted())
      // The native transport looks no name up for a connection that it reuses.
      if !isReused || !TestTransport.isNative { #expect(metrics.nameLookup ?? .zero > .zero) }
    }
    #expect(resolutions.all.count { $0 == "fields.example" } == (TestTransport.isNative ? 1 : 2))
  }
}
