import FoundationEssentials
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
    [.send(.head(stream)), .send(.data(stream, "ok", ends: true))]
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
}
