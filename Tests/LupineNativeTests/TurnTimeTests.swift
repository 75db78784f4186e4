import FoundationEssentials
import Glibc
import LupineCore
import LupineFixtures
import LupineNative
import LupineTesting
import PeerSupport
import Testing
import TransportSupport
import TrustSupport

/// The processor time that an exchange takes from others if its peer never stops sending or receiving.
///
/// An exchange whose socket becomes ready waits for the rest of a turn of the loop, and at most for the whole next
/// turn. So it waits for at most 50 ms if no turn takes more than 25 ms.
@Suite(.serialized, .timeLimit(.minutes(2))) struct TurnTimeTests {
  private static let bound = Duration.milliseconds(50)
  /// The factor for the processor time under the thread sanitizer; 1 without it.
  private static let sanitizerFactor = dlsym(nil, "__tsan_init") == nil ? 1 : 10

  /// The peers that send without end.
  static let floods = FloodPeer.Kind.floods.filter { $0 != .challenge }

  private let transport: NativeTransport = {
    var configuration = NativeTransport.Configuration()
    configuration.certificateAuthorities = Fixture.path("Certificates/root.pem")
    return NativeTransport(configuration)
  }()

  /// Begins an exchange with a peer that floods it.
  private func begin(_ peer: FloodPeer, _ kind: FloodPeer.Kind, _ control: ExchangeControl) throws -> Task<Bool, Never>
  {
    var client = Client(transport)
    client.connectionKey = try peer.connectionKey
    return Task { [client, url = peer.url] in
      await client.failure(url, control: control) { $0.options.version = kind.version } != nil
    }
  }

  /// Makes exchanges with a server that answers, and checks the time of the turns meanwhile.
  private func checkNeighbour(_ timer: TurnTimer) async throws {
    let server = try ScriptedServer(always: .respond(body: .text("x")))
    let client = Client(transport)
    for _ in 1...20 { #expect(try await client.fetch(server.url).text == "x") }
    let times = await timer.stop()
    #expect(times.isOfOneThread && times.count > 20)
    #expect(times.longest * 2 <= Self.bound * Self.sanitizerFactor, "\(times)")
  }

  @Test(arguments: floods, FloodPeer.Line.allCases)
  func `a flood holds up another exchange for at most 50 ms`(kind: FloodPeer.Kind, line: FloodPeer.Line) async throws {
    // A tunnel needs a name for its target, and so no Unix-domain socket.
    if kind == .tunnel, line == .unixSocket { return }
    let peer = try FloodPeer(kind, over: line)
    let control = ExchangeControl()
    let timer = TurnTimer(transport)
    let exchange = try begin(peer, kind, control)
    try await peer.isFlooding.opened()
    try await checkNeighbour(timer)
    if kind.isBody { control.cancel(LupineError(.cancelled, "Enough.")) }
    // The refusal of a tunnel is a response, whose body is not read.
    #expect(await exchange.value || kind == .tunnel)
    await transport.shutdown()
  }

  /// The bytes of a peer that sends large pieces as fast as it can.
  static let streams: [String: (head: [UInt8], unit: [UInt8])] = [
    "a body": (
      Array("HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n".utf8), [UInt8](repeating: 0, count: 1 << 20)
    ),
    "an endless head": (Array("HTTP/1.1 200 OK\r\nA: ".utf8), [UInt8](repeating: 0x61, count: 1 << 20)),
    "endless chunks": (
      Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8),
      Array(
        repeatElement(Array("400\r\n".utf8) + [UInt8](repeating: 0, count: 1_024) + [13, 10], count: 1_024).joined())
    ),
    "endless chunk extensions": (
      Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;".utf8), [UInt8](repeating: 0x61, count: 1 << 20)
    ),
  ]

  @Test(arguments: Array(streams.keys))
  func `a peer that is faster than the client holds up another exchange for at most 50 ms`(name: String) async throws {
    let stream = try #require(Self.streams[name])
    let listener = try LoopbackListener()
    listener.start { descriptor in
      var bytes = [UInt8](repeating: 0, count: 4_096)
      guard recv(descriptor, &bytes, bytes.count, 0) > 0 else { return }
      guard send(descriptor, stream.head, stream.head.count, Int32(MSG_NOSIGNAL)) > 0 else { return }
      while send(descriptor, stream.unit, stream.unit.count, Int32(MSG_NOSIGNAL)) > 0 {}
    }
    defer { listener.stop() }
    let (client, control) = (Client(transport), ExchangeControl())
    let timer = TurnTimer(transport)
    let exchange = Task {
      let request = try OutgoingRequest(url: HTTPURL("http://127.0.0.1:\(listener.port)/"))
      let context = client.context(control: control, sink: .discard(limit: .max))
      return try await client.transport.send(request, in: context).body.end()
    }
    try await checkNeighbour(timer)
    control.cancel(LupineError(.cancelled, "Enough."))
    await #expect(throws: LupineError.self) { try await exchange.value }
    await transport.shutdown()
  }

  @Test func `an upload to a server that reads as fast as it can holds up another exchange for at most 50 ms`()
    async throws
  {
    let listener = try LoopbackListener()
    listener.start { descriptor in
      var bytes = [UInt8](repeating: 0, count: 1 << 20)
      while recv(descriptor, &bytes, bytes.count, 0) > 0 {}
    }
    defer { listener.stop() }
    let (client, control) = (Client(transport), ExchangeControl())
    let timer = TurnTimer(transport)
    let exchange = Task {
      await client.failure(
        "http://127.0.0.1:\(listener.port)/", method: .post, body: .bytes(Data(count: 256 << 20)),
        control: control)
    }
    try await checkNeighbour(timer)
    control.cancel(LupineError(.cancelled, "Enough."))
    #expect(await exchange.value != nil)
    await transport.shutdown()
  }
}
