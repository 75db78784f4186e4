import LupineCore
import LupineEventLoop
import LupineFixtures
import LupineMock
import LupineNative
import LupineTesting
import Synchronization
import Testing
import TransportSupport
import TrustSupport

/// TLS of the native transport: the causes that end a connection, and the attacks of a peer that fail.
@Suite(.timeLimit(.minutes(2))) struct TLSTests {
  private static let versions: [TLSVersion] = [.tls1_2, .tls1_3]

  private func client(_ version: TLSVersion? = nil) -> Client {
    var configuration = NativeTransport.Configuration()
    configuration.network.certificateAuthorities = Fixture.path("Certificates/root.pem")
    var client = Client.native(configuration)
    client.connectionKey.maximumTLSVersion = version
    return client
  }

  @Test func `a handshake that stalls is ended by the connect timeout`() async throws {
    let port = try SilentPort(completesHandshake: true)
    var client = client()
    client.connectTimeout = .milliseconds(80)
    #expect(await client.failure("https://localhost:\(port.port)/")?.kind == .timedOut(.connect))
    #expect(await client.transport.connectionPool() == ConnectionPoolSnapshot())
    await client.transport.shutdown()
  }

  @Test func `an alert fails the handshake, and the error has its name`() async throws {
    let server = try FaultServer(.tlsRefused)
    let client = client()
    let error = await client.failure(server.url)
    #expect(error?.message.contains("handshake failure") == true, "\(error as Any)")
    #expect(error?.kind == .tlsFailed)
    #expect(error?.metrics?.connect != nil && error?.metrics?.secureConnect == nil)
    await client.transport.shutdown()
  }

  @Test func `a connection stays usable if tickets follow a response`() async throws {
    let peer = try TicketPeer(.afterResponse(2))
    defer { peer.stop() }
    let client = client()
    let log = EventLog()
    for _ in 1...3 { #expect(try await client.fetch(peer.url, log: log).text == "ok") }
    #expect(log.reused == [false, true, true])
    await client.transport.shutdown()
  }

  @Test func `tickets without end end the connection`() async throws {
    let peer = try TicketPeer(.forever)
    defer { peer.stop() }
    let client = client()
    #expect(await client.failure(peer.url)?.kind == .malformedResponse)
    await client.transport.shutdown()
  }

  @Test func `the event secured follows the connection, and the metrics have the handshake`() async throws {
    let peer = try TicketPeer(.afterResponse(0))
    defer { peer.stop() }
    let client = client()
    let log = EventLog()
    let first = try await client.fetch(peer.url, log: log).end.metrics
    let second = try await client.fetch(peer.url, log: log).end.metrics
    #expect(first.secureConnect != nil && second.secureConnect == nil)
    #expect(first.tls?.version == "TLSv1.3")
    #expect(first.tls == second.tls)
    #expect(log.secured.count == 1)
    await client.transport.shutdown()
  }

  @Test func `the time of the handshake includes the verification, and not that of the request`() async throws {
    let peer = try TicketPeer(.afterResponse(0))
    defer { peer.stop() }
    let transport = client().transport
    let connectionKey = ConnectionKey(trustPolicy: 1, certificateAuthorities: Fixture.path("Certificates/root.pem"))
    let verified = Atomic<UInt64>(0)
    let evaluator: any TrustEvaluator = .custom { _ in
      // Some work, which makes the turn of the loop long.
      #expect((0..<300_000).reduce(0) { $0 ^ $1 } >= 0)
      verified.store(MonotonicClock.now, ordering: .relaxed)
    }
    let context = TransferContext(
      id: RequestID(1), connectionKey: connectionKey, evaluator: evaluator, sink: { _ in .collect(limit: 9) })
    let response = try await transport.send(OutgoingRequest(url: HTTPURL(peer.url)), in: context)
    let metrics = try await response.body.end().metrics
    let afterwards = try metrics.total - #require(metrics.secureConnect)
    let sinceVerification = Duration.nanoseconds(Int64(MonotonicClock.now - verified.load(ordering: .relaxed)))
    #expect(afterwards <= sinceVerification)
    await transport.shutdown()
  }

  @Test(arguments: ["localhost", "127.0.0.1"])
  func `the time of the name lookup includes the reading of root certificates`(host: String) async throws {
    let peer = try TicketPeer(.afterResponse(0))
    defer { peer.stop() }
    let client = client()
    let url = peer.url.replacing("localhost", with: host)
    // Nothing else takes time before the connection: no name is sent to a resolver.
    #expect(try #require(await client.fetch(url).end.metrics.nameLookup) > .zero)
    await client.transport.shutdown()
  }

  @Test func `an evaluator without a trust policy in the key is refused`() async throws {
    let client = client()
    let context = TransferContext(id: RequestID(1), evaluator: .custom { _ in }, sink: { _ in .discard(limit: 1) })
    let error = await #expect(throws: LupineError.self) {
      _ = try await client.transport.send(OutgoingRequest(url: HTTPURL("https://localhost:1/")), in: context)
    }
    guard case .configuration = error?.kind else {
      Issue.record("The error is \(error as Any)")
      return
    }
    await client.transport.shutdown()
  }
}
