import FoundationEssentials
import Glibc
import HTTPTypes
import LupineCore
import LupineTesting
import PeerSupport
import Synchronization
import Testing
import TransportSupport

/// Requests of HTTP/2 that wait for the server: for a window, or for the end of another stream.
@Suite(.overEachTransport, .timeLimit(.minutes(1))) struct HTTP2WaitTests {
  private typealias Frame = HTTP2Peer.Frame

  private final class Counter: Sendable {
    private let value = Atomic(0)

    var count: Int { value.load(ordering: .relaxed) }

    /// Adds to the count and returns the sum.
    func add(_ number: Int) -> Int { value.add(number, ordering: .relaxed).newValue }
  }

  private static let ok: @Sendable (UInt32, Int) -> [HTTP2Peer.Step] = { stream, _ in
    [.send(.head(stream, [("content-length", "2")])), .send(.data(stream, "ok", ends: true))]
  }

  /// The window stays closed while 500 other requests run in the same loop.
  ///
  /// Without TLS, libcurl 7.88 reuses no connection of HTTP/2, so that it sends content before it knows the window.
  @Test(arguments: [1_000, 300_000])
  func `an upload waits for its window, is not taken for a flood, and continues`(count: Int) async throws {
    let (waiting, opening, arrived) = (Gate(), Gate(), Counter())
    let peer = try HTTP2Peer(
      settings: Frame.initialWindow(500).payload, isSecured: true, returnsWindow: false,
      onFrame: { frame in
        guard frame.type == 0 else { return [] }
        let now = arrived.add(frame.payload.count)
        guard now == 500 else { return [] }
        waiting.open()
        try? opening.blockUntilOpen()
        return [.send(.windowUpdate(0, by: 1_000_000)), .send(.windowUpdate(frame.stream, by: 1_000_000))]
      }, script: Self.ok)
    defer { peer.stop() }
    let server = try ScriptedServer(always: .respond(body: .text("x")))
    defer { server.stop() }
    let client = Client.trusting()
    // After the first response the client has processed the SETTINGS.
    #expect(try await client.fetch(peer.url) { $0.options.version = .http2 }.text == "ok")
    let upload = Task {
      try await client.fetch(peer.url, method: .post, body: .bytes(Data(repeating: 0x61, count: count))) {
        $0.options.version = .http2
      }
    }
    try await waiting.opened()
    for _ in 1...500 { #expect(try await client.fetch(server.url).text == "x") }
    opening.open()
    #expect(try await upload.value.text == "ok")
    #expect(arrived.count == count)
    await client.transport.shutdown()
  }

  @Test(arguments: [1, 5]) func `a server that allows one stream at a time responds to 200 requests`(
    rounds: Int
  ) async throws {
    let peer = try HTTP2Peer(settings: Frame.maximumStreams(1).payload, isSecured: true, script: Self.ok)
    defer { peer.stop() }
    let client = Client.trusting()
    for _ in 1...rounds {
      try await withThrowingTaskGroup { group in
        for _ in 1...200 {
          group.addTask { try await client.fetch(peer.url) { $0.options.version = .http2 }.text }
        }
        for try await text in group { #expect(text == "ok") }
      }
    }
    await client.transport.shutdown()
  }

  /// A script of a server that allows one stream at a time, and ends the connection of a client that begins more.
  ///
  /// The client has seen the limit once it acknowledges the SETTINGS. The server then answers the first stream, and
  /// each later one at once. If there was another stream before, GOAWAY has excluded it and all later ones.
  private final class StrictScript: Sendable {
    private struct Connection {
      var first: UInt32?
      var isSettled = false
      var isGone = false
    }

    private let code: UInt32
    /// The connections by their threads.
    private let connections = Mutex<[UInt: Connection]>([:])

    init(code: UInt32) { self.code = code }

    func receive(_ frame: Frame) -> [HTTP2Peer.Step] {
      change { connection in
        // A frame of SETTINGS without ACK is the client's first one.
        if frame.type == 4, frame.flags & 1 == 0 { connection = Connection() }
        guard frame.type == 4, frame.flags & 1 == 1 else { return [] }
        connection.isSettled = true
        return connection.first.map { HTTP2WaitTests.ok($0, 0) } ?? []
      }
    }

    func begin(_ stream: UInt32) -> [HTTP2Peer.Step] {
      change { connection in
        guard !connection.isGone else { return [] }
        if connection.isSettled { return HTTP2WaitTests.ok(stream, 0) }
        guard let first = connection.first else {
          connection.first = stream
          return []
        }
        connection.isGone = true
        return [.send(.goAway(last: first, code: code))]
      }
    }

    private func change(_ body: (inout Connection) -> [HTTP2Peer.Step]) -> [HTTP2Peer.Step] {
      connections.withLock { body(&$0[UInt(pthread_self()), default: Connection()]) }
    }
  }

  @Test(arguments: [0, 1, 11], [2, 12, 200])
  func `a server that ends the connection at a second stream leaves no request without an end`(code: UInt32, count: Int)
    async throws
  {
    let script = StrictScript(code: code)
    let peer = try HTTP2Peer(
      settings: Frame.maximumStreams(1).payload, isSecured: true, onFrame: { script.receive($0) },
      script: { stream, _ in script.begin(stream) })
    defer { peer.stop() }
    var client = Client.trusting()
    // libcurl's timer for the connect timeout would end a request that has been forgotten.
    client.connectTimeout = nil
    let errors = await withTaskGroup(of: LupineError?.self) { group in
      for _ in 1...count {
        group.addTask { [client] in await client.failure(peer.url) { $0.options.version = .http2 } }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(errors.contains { $0 == nil })
    for case let error? in errors { #expect(error.isUnprocessed, "\(error)") }
    await client.transport.shutdown()
  }

  /// The peer does not answer the PING of the native transport, and libcurl closes the connection.
  @Test(arguments: [false, true])
  func `a request after one that has timed out on a silent connection gets another connection`(hasHead: Bool)
    async throws
  {
    let peer = try HTTP2Peer(isSecured: true) { stream, number in
      number == 0 ? (hasHead ? [.send(.head(stream))] : []) : Self.ok(stream, number)
    }
    defer { peer.stop() }
    let client = Client.trusting()
    let control = ExchangeControl()
    async let failure = client.failure(peer.url, control: control) { $0.options.version = .http2 }
    while peer.requestCount < 1 { await Task.yield() }
    control.cancel(LupineError(.timedOut(.idle), "The peer sends nothing."))
    #expect(await failure?.kind == .timedOut(.idle))
    #expect(try await client.fetch(peer.url) { $0.options.version = .http2 }.text == "ok")
    #expect(peer.connectionCount == 2)
    await client.transport.shutdown()
  }

  @Test func `a timeout of one request does not end the others of its connection`() async throws {
    let first = Mutex<UInt32>(0)
    let peer = try HTTP2Peer(
      isSecured: true,
      // The stream of the request that has timed out is reset; then the other request is answered.
      onFrame: { $0.type == 3 ? Self.ok(first.withLock { $0 }, 0) : [] },
      script: { stream, number in
        if number == 1 { first.withLock { $0 = stream } }
        return number == 1 || number == 2 ? [] : Self.ok(stream, number)
      })
    defer { peer.stop() }
    let client = Client.trusting()
    #expect(try await client.fetch(peer.url) { $0.options.version = .http2 }.text == "ok")
    async let other = client.fetch(peer.url) { $0.options.version = .http2 }
    while peer.requestCount < 2 { await Task.yield() }
    let control = ExchangeControl()
    async let failure = client.failure(peer.url, control: control) { $0.options.version = .http2 }
    while peer.requestCount < 3 { await Task.yield() }
    control.cancel(LupineError(.timedOut(.idle), "The peer sends nothing."))
    #expect(await failure?.kind == .timedOut(.idle))
    // libcurl sends the reset with the next request.
    #expect(try await client.fetch(peer.url) { $0.options.version = .http2 }.text == "ok")
    #expect(try await other.text == "ok")
    await client.transport.shutdown()
  }
}
