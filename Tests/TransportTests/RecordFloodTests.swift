import LupineCore
import LupineSession
import LupineTesting
import PeerSupport
import Testing
import TransportSupport

/// Peers that occupy the loop with an endless flow of small records of TLS.
///
/// No peer ends its flood. If the transport does not end the exchange either, the test fails at its time limit.
@Suite(.overEachTransport, .serialized, .timeLimit(.minutes(2))) struct RecordFloodTests {
  /// An exchange with a flooding peer, whose content is discarded.
  private struct Flooded {
    let client: Client
    let exchange: Task<LupineError?, Never>
    let control = ExchangeControl()
    private let peer: RecordPeer

    /// - Parameter isProxy: whether the peer is a proxy, to which the client has TLS.
    init(_ flood: RecordFlood, isProxy: Bool = false, on transport: any Transport) async throws {
      let peer = try RecordPeer(flood)
      var client = Client(transport)
      if isProxy { client.connectionKey.proxy = try Proxy("https://localhost:\(peer.port)") }
      client.connectionKey.minimumTLSVersion = isProxy ? nil : flood.version
      client.connectionKey.maximumTLSVersion = isProxy ? nil : flood.version
      var request = try OutgoingRequest(url: HTTPURL(isProxy ? "https://a.example/" : peer.url))
      request.options.version = .http1_1
      let context = client.context(control: control, sink: .discard(limit: .max))
      exchange = Task { [request] in
        do throws(LupineError) {
          _ = try await transport.send(request, in: context).body.end()
          return nil
        } catch {
          return error
        }
      }
      self.client = client
      self.peer = peer
      try await peer.isFlooding.opened()
    }

    /// Waits until the client has closed the connection.
    func closed() async throws {
      try await peer.isClosed.opened()
      peer.stop()
    }
  }

  private let transport = Client.trusting().transport

  /// Makes exchanges with a server that answers, and checks the time of the turns of the native transport meanwhile.
  ///
  /// For libcurl another thread enforces the bound, as soon as the system runs it.
  private func checkNeighbour(_ timer: TurnTimer) async throws {
    if TestTransport.isNative { return try await timer.checkNeighbour(on: transport) }
    let server = try ScriptedServer(always: .respond(body: .text("x")))
    for _ in 1...20 { #expect(try await Client(transport).fetch(server.url).text == "x") }
    #expect(await timer.stop().isOfOneThread)
  }

  @Test(arguments: RecordFlood.all)
  func `a flood of records holds up no other exchange, and ends or can be cancelled`(flood: RecordFlood) async throws {
    let timer = TurnTimer(transport)
    let flooded = try await Flooded(flood, on: transport)
    try await checkNeighbour(timer)
    if flood.hasContent { flooded.control.cancel(LupineError(.cancelled, "Enough.")) }
    let error = try #require(await flooded.exchange.value)
    if !flood.hasContent {
      #expect([.malformedResponse, .connectionLost, .tlsFailed, .proxyFailed].contains(error.kind), "\(error)")
    }
    try await flooded.closed()
    await transport.shutdown()
  }

  @Test(arguments: RecordFlood.all)
  func `a proxy that floods its connection with TLS holds up no other exchange`(flood: RecordFlood) async throws {
    let timer = TurnTimer(transport)
    let flooded = try await Flooded(flood, isProxy: true, on: transport)
    try await checkNeighbour(timer)
    flooded.control.cancel(LupineError(.cancelled, "Enough."))
    #expect(await flooded.exchange.value != nil)
    try await flooded.closed()
    await transport.shutdown()
  }

  @Test(arguments: RecordFlood.all)
  func `an exchange whose peer floods with records can be cancelled`(flood: RecordFlood) async throws {
    let flooded = try await Flooded(flood, on: transport)
    flooded.control.cancel(LupineError(.cancelled, "Enough."))
    #expect(await flooded.exchange.value != nil)
    try await flooded.closed()
    await transport.shutdown()
  }

  @Test(arguments: RecordFlood.all)
  func `a transport whose peer floods with records can be shut down`(flood: RecordFlood) async throws {
    let flooded = try await Flooded(flood, on: transport)
    await transport.shutdown()
    #expect(await flooded.exchange.value != nil)
    try await flooded.closed()
  }

  @Test(arguments: RecordFlood.all)
  func `the timeouts of a request hold while its peer floods with records`(flood: RecordFlood) async throws {
    let peer = try RecordPeer(flood)
    defer { peer.stop() }
    let session = try Session.Builder().transport(transport).httpVersion(.http1_1)
      .tlsVersions(minimum: flood.version, maximum: flood.version)
      .timeouts(total: .milliseconds(150)).build()
    let error = await session.request(peer.url).serializingData().response.error
    #expect(error != nil)
    // The native transport ends a connection that offers too many sessions, also between content.
    if flood.hasContent { #expect([.timedOut(.total), .malformedResponse].contains(error?.kind)) }
    await session.shutdown()
  }
}
