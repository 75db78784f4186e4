import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineFraming
import LupineTesting
import PeerSupport
import Testing
import TransportSupport

@testable import LupineNative

/// A sequence of one piece.
private struct Pieces: AsyncSequence, AsyncIteratorProtocol {
  private var piece: [UInt8]?

  init(_ piece: [UInt8]) { self.piece = piece }

  func makeAsyncIterator() -> Pieces { self }

  mutating func next() async -> [UInt8]? { piece.take() }
}

/// Flow control and the two directions of a stream (RFC 9113 section 5.2).
@Suite(.timeLimit(.minutes(1))) struct FlowTests {
  private typealias Frame = HTTP2Peer.Frame

  /// The windows that the composed frames return, by stream.
  private static func windowUpdates(in bytes: [UInt8]) -> [UInt32: Int] {
    var updates: [UInt32: Int] = [:]
    var rest = bytes[...]
    while rest.count >= 9 {
      let frame = Array(rest.prefix(9))
      let length = Int(frame[0]) << 16 | Int(frame[1]) << 8 | Int(frame[2])
      let stream = frame[5..<9].reduce(0) { $0 << 8 | UInt32($1) }
      let payload = rest.dropFirst(9).prefix(length)
      if frame[3] == 8 { updates[stream, default: 0] += payload.reduce(0) { $0 << 8 | Int($1) } }
      rest = rest.dropFirst(9 + length)
    }
    return updates
  }

  @Test func `content that the consumer does not take keeps its stream's window, and no other`() throws {
    let stage = try SessionStage()
    stage.consumes = false
    // The window of a stream applies after the peer has acknowledged the SETTINGS.
    stage.receive((Frame(type: 4).bytes + Frame(type: 4, flags: 1).bytes + Frame.head(1).bytes)[...])
    let frame = Frame(type: 0, stream: 1, payload: [UInt8](repeating: 0x61, count: 16_384)).bytes
    var updates: [UInt32: Int] = [:]
    var received = 0
    while received + 16_384 <= Int(HTTP2Session.streamWindow) {
      stage.read(frame[...])
      received += 16_384
      updates.merge(Self.windowUpdates(in: stage.compose())) { $0 + $1 }
    }
    #expect(stage.session.failure == nil)
    #expect(updates[1] == nil)
    stage.session.consume(received, of: 1)
    #expect(Self.windowUpdates(in: stage.compose())[1] == received)
    // The window of the stream is used up exactly.
    stage.receive((Frame(type: 0, stream: 1, payload: [UInt8](repeating: 0x61, count: 16_384)).bytes)[...])
    #expect(stage.session.failure == nil)
  }

  @Test func `more content than the window is an error`() throws {
    let stage = try SessionStage()
    stage.consumes = false
    stage.receive((Frame(type: 4).bytes + Frame(type: 4, flags: 1).bytes + Frame.head(1).bytes)[...])
    let frame = Frame(type: 0, stream: 1, payload: [UInt8](repeating: 0x61, count: 16_384)).bytes
    for _ in 0...(Int(HTTP2Session.streamWindow) / 16_384) { stage.receive(frame[...]) }
    #expect(stage.events.last == "closed malformedResponse")
  }

  /// Together the streams have more content than the window of the connection.
  @Test func `streams whose consumers take nothing do not hold up another one`() async throws {
    let piece = Frame(type: 0, payload: [UInt8](repeating: 0x61, count: 16_384))
    let peer = try HTTP2Peer { stream, number in
      guard number < 20 else { return [.send(.head(stream)), .send(.data(stream, "ok", ends: true))] }
      var frame = piece
      frame.stream = stream
      return [.send(.head(stream))] + [HTTP2Peer.Step](repeating: .send(frame), count: 64)
    }
    defer { peer.stop() }
    let client = Client.native()
    var request = try OutgoingRequest(url: HTTPURL(peer.url))
    request.options.version = .http2
    let control = ExchangeControl()
    var responses: [TransportResponse] = []
    for _ in 0..<20 {
      responses.append(
        try await client.transport.send(request, in: client.context(control: control, sink: .stream(window: 1_000))))
    }
    #expect(try await client.fetch(peer.url) { $0.options.version = .http2 }.text == "ok")
    // The content arrives when its consumer takes it.
    for response in responses {
      var count = 0
      while count < 1 << 20 { count += try await response.body.next()?.count ?? .max }
      #expect(count == 1 << 20)
    }
    #expect(peer.connectionCount == 1)
    control.cancel(LupineError(.cancelled, "Enough."))
    await client.transport.shutdown()
  }

  private static let ok: @Sendable (UInt32, Int) -> [HTTP2Peer.Step] = { stream, _ in
    [.send(.head(stream)), .send(.data(stream, "ok", ends: true))]
  }

  @Test(arguments: [5_000_000, 1, 65_535, 65_536])
  func `a request's body arrives, with and without a stated length`(size: Int) async throws {
    let peer = try HTTP2Peer(script: Self.ok)
    defer { peer.stop() }
    let client = Client.native()
    let bytes = [UInt8](repeating: 0x61, count: size)
    let bodies = [RequestBody.bytes(Data(bytes)), .stream { Pieces(bytes) }]
    for (index, body) in bodies.enumerated() {
      let response = try await client.fetch(peer.url, method: .post, body: body) { $0.options.version = .http2 }
      #expect(response.text == "ok")
      #expect(response.end.metrics.bytesSent == Int64(size))
      #expect(peer.contentCount == size * (index + 1))
    }
    #expect(peer.connectionCount == 1)
    await client.transport.shutdown()
  }

  @Test func `a body waits for 100`() async throws {
    let peer = try HTTP2Peer(onHead: { [.send(.head($0, status: 100))] }, script: Self.ok)
    defer { peer.stop() }
    let client = Client.native()
    let log = EventLog()
    let response = try await client.fetch(peer.url, method: .post, body: .text("hello"), log: log) {
      $0.options.version = .http2
      $0.options.expectsContinue = true
    }
    #expect(response.text == "ok")
    #expect(peer.contentCount == 5)
    await client.transport.shutdown()
  }

  @Test func `a final response in the place of 100 leaves the body unsent`() async throws {
    let peer = try HTTP2Peer(onHead: { [.send(.head($0, status: 417, ends: true))] }, script: Self.ok)
    defer { peer.stop() }
    let client = Client.native()
    for _ in 1...2 {
      let response = try await client.fetch(peer.url, method: .post, body: .text("hello")) {
        $0.options.version = .http2
        $0.options.expectsContinue = true
      }
      #expect(response.head.status.code == 417)
    }
    #expect(peer.contentCount == 0)
    #expect(peer.connectionCount == 1)
    await client.transport.shutdown()
  }

  @Test func `an early error ends the upload, and the connection is used again`() async throws {
    let peer = try HTTP2Peer(
      returnsWindow: false, onHead: { [.send(.head($0, status: 413, ends: true))] }, script: Self.ok)
    defer { peer.stop() }
    let client = Client.native()
    let body = RequestBody.bytes(Data([UInt8](repeating: 0x61, count: 1_000_000)))
    let early = try await client.fetch(peer.url, method: .post, body: body) { $0.options.version = .http2 }
    #expect(early.head.status.code == 413)
    #expect(try await client.fetch(peer.url) { $0.options.version = .http2 }.text == "ok")
    #expect(peer.connectionCount == 1)
    #expect(peer.resets.map(\.stream) == [1])
    await client.transport.shutdown()
  }

  @Test func `a peer that takes no content stops the body's reader and no other exchange`() async throws {
    let peer = try HTTP2Peer(returnsWindow: false, script: Self.ok)
    defer { peer.stop() }
    let client = Client.native()
    let control = ExchangeControl()
    let body = RequestBody.bytes(Data([UInt8](repeating: 0x61, count: 1_000_000)))
    let (sending, url) = (client, peer.url)
    let upload = Task {
      var request = try OutgoingRequest(url: HTTPURL(url), method: .post, body: body)
      request.options.version = .http2
      return try await sending.transport.send(request, in: sending.context(control: control))
    }
    // The first exchange settles how many streams the peer takes.
    for _ in 1...3 { #expect(try await client.fetch(url) { $0.options.version = .http2 }.text == "ok") }
    #expect(peer.contentCount <= 65_535)
    control.cancel(LupineError(.cancelled, "Enough."))
    await #expect(throws: LupineError.self) { try await upload.value }
    #expect(try await client.fetch(url) { $0.options.version = .http2 }.text == "ok")
    #expect(peer.connectionCount == 1)
    await client.transport.shutdown()
  }
}
