import Foundation
import Lupine
import Synchronization
import Testing
import TransportSupport

/// The events of exchanges with real servers.
@Suite(.overEachTransport, .besidePeers) struct EventTests {
  private final class Names: EventMonitor {
    private let events = Mutex<[SessionEvent.Kind]>([])

    func receive(_ event: SessionEvent) { events.withLock { $0.append(event.kind) } }

    var kinds: [SessionEvent.Kind] { events.withLock { $0 } }

    var names: [String] { kinds.map { Mirror(reflecting: $0).children.first?.label ?? "\($0)" } }
  }

  @Test func `each step to a new connection is reported in order, and a reused one as reused`() async throws {
    let log = Names()
    let session = try Peer.nginxTLS.session { $0.monitor(log).adapter(BearerToken("x")) }
    let response = await session.request("hello").validate().serializingString().response
    #expect(
      log.names == [
        "started", "adapted", "attempting", "sending", "nameResolved", "connected", "secured", "sent", "head",
        "received", "validated", "finished", "serialized",
      ])
    _ = await session.upload(.text("four"), to: "echo-size").serializingString().response
    let second = log.kinds.dropFirst(13)
    #expect(second.contains { if case .connected(_, isReused: true) = $0 { true } else { false } })
    #expect(second.contains { if case .sent(bytes: 4) = $0 { true } else { false } })
    #expect(response.metrics.requestSent ?? .zero > .zero)
  }

  @Test func `a request's own monitor receives the steps to the connection, in a session without one`() async throws {
    let log = Names()
    let session = try Peer.nginxTLS.session()
    _ = try await session.request("hello").monitor(log).serializingString().value
    #expect(
      log.names == [
        "started", "attempting", "sending", "nameResolved", "connected", "secured", "sent", "head", "received",
        "validated", "finished", "serialized",
      ])
  }

  @Test func `an exchange that waits for a connection has the reason in an event`() async throws {
    let log = Names()
    var configuration = CurlTransport.Configuration()
    configuration.network.connectionsPerHost = 1
    let session = try Session.Builder().transport(.curl(configuration)).monitor(log).baseURL(try Peer.httpbin.url)
      .build()
    async let first = session.request("delay/0.2").serializingData().response
    async let second = session.request("delay/0.2").serializingData().response
    // On a busy machine the first exchange can also wait for the loop's thread, but for a shorter time than a response.
    let waited = await [first, second].compactMap(\.metrics.queued).filter { $0 >= .milliseconds(100) }
    let reasons = log.kinds.compactMap { if case .queued(let reason) = $0 { reason } else { nil } }
    #expect(reasons == ["1 exchanges with this host are running, the maximum"])
    #expect(waited.count == 1)
  }

  @Test func `the lookup of a name that cannot be reached is reported`() async throws {
    let log = Names()
    let session = try Session.Builder().transport(.curl).monitor(log).build()
    _ = await session.request("http://localhost:1/").serializingData().response
    #expect(log.names.contains("nameResolved"))
    #expect(!log.names.contains("connected"))
  }

  @Test func `the waterfall of a first request has every phase`() async throws {
    let response = await (try Peer.nginxTLS.session()).request("big.bin").serializingData().response
    let text = response.metrics.waterfall
    for name in ["name lookup", "connect", "TLS", "sending", "waiting", "receiving", "total"] {
      #expect(text.contains(name))
    }
  }
}
