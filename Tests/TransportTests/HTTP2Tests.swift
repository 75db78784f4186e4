import CLibcurl
import HTTPTypes
import LupineCore
import LupineSession
import LupineFixtures
import LupineMock
import LupineTesting
import PeerSupport
import Testing
import TransportSupport

extension Client {
  /// Whether HTTP/2 without TLS uses a new connection for each request, because this libcurl fails on a reused one.
  fileprivate var usesNewConnections: Bool {
    guard !TestTransport.isNative else { return false }
    return curl_version_info(CURLVERSION_FIRST).map { $0.pointee.version_num < 0x08_00_00 } ?? true
  }
}

@Suite(.overEachTransport) struct HTTP2Tests {
  private typealias Frame = HTTP2Peer.Frame

  private func failure(_ client: Client, _ peer: HTTP2Peer, _ method: HTTPRequest.Method = .get) async -> LupineError? {
    await client.failure(peer.url, method: method) { $0.options.version = .http2 }
  }

  @Test func `prior knowledge, a body and its trailers`() async throws {
    let peer = try HTTP2Peer { stream, _ in
      [
        .send(.head(stream, [("x-a", "1")])), .send(.data(stream, "hello", ends: false)),
        .send(.trailers(stream, [("x-sum", "9")])),
      ]
    }
    defer { peer.stop() }
    let client = Client()
    for _ in 1...3 {
      let response = try await client.fetch(peer.url) { $0.options.version = .http2 }
      #expect(response.text == "hello")
      #expect(response.head.headerFields[try #require(HTTPField.Name("X-A"))] == "1")
      #expect(response.end.trailers?[try #require(HTTPField.Name("X-Sum"))] == "9")
      #expect(response.end.metrics.version == .http2)
    }
    #expect(client.usesNewConnections ? peer.connectionCount == 3 : peer.connectionCount == 1)
    await client.transport.shutdown()
  }

  @Test func `a stream that is reset after its head fails alone`() async throws {
    let peer = try HTTP2Peer { stream, number in
      number == 1
        ? [.send(.head(stream)), .send(.data(stream, "he", ends: false)), .send(.reset(stream, code: 2))]
        : [.send(.head(stream)), .send(.data(stream, "ok", ends: true))]
    }
    defer { peer.stop() }
    let client = Client()
    #expect(await failure(client, peer) == nil)
    #expect(await failure(client, peer)?.kind == .connectionLost)
    #expect(await failure(client, peer) == nil)
    #expect(client.usesNewConnections ? peer.connectionCount == 3 : peer.connectionCount == 1)
    await client.transport.shutdown()
  }

  @Test func `requests of HTTP 1 do not use a connection of HTTP 2`() async throws {
    let server = try ScriptedServer(always: .respond(body: .text("x")))
    let client = Client()
    #expect(try await client.fetch(server.url).text == "x")
    #expect(await client.failure(server.url) { $0.options.version = .http2 } != nil)
    #expect(try await client.fetch(server.url).text == "x")
    await client.transport.shutdown()
  }

  @Test func `an idle connection that the peer ends is replaced`() async throws {
    let peer = try HTTP2Peer { stream, _ in [.send(.head(stream)), .send(.data(stream, "ok", ends: true)), .end] }
    defer { peer.stop() }
    let session = try Session.Builder().transport(Client().transport).httpVersion(.http2).build()
    for _ in 1...20 {
      let response = await session.request(peer.url).serializingString().response
      #expect(response.value == "ok", "\(String(describing: response.error))")
    }
    await session.shutdown()
  }

  @Test func `bad SETTINGS are an error, not a hang`() async throws {
    // SETTINGS_ENABLE_PUSH must be 0 or 1, and SETTINGS_INITIAL_WINDOW_SIZE at most 2^31 - 1 (RFC 9113 section 6.5.2).
    for settings in [[0, 2, 0, 0, 0, 7], [0, 4, 255, 255, 255, 255], [0, 5, 0, 0, 0, 1], [1]] as [[UInt8]] {
      let peer = try HTTP2Peer(settings: settings) { stream, _ in [.send(.head(stream, ends: true))] }
      let client = Client()
      let error = await failure(client, peer)
      #expect(error?.kind == .malformedResponse)
      #expect(await client.transport.connectionPool() == ConnectionPoolSnapshot())
      peer.stop()
      await client.transport.shutdown()
    }
  }

  @Test func `endless CONTINUATION is an error with memory bounded`() async throws {
    let fields = (0..<100).map { ("x-\($0)", String(repeating: "a", count: 100)) }
    let peer = try HTTP2Peer { stream, _ in
      [
        .send(Frame(type: 1, flags: 0, stream: stream, payload: Frame.block([(":status", "200")]))),
        .flood(Frame(type: 9, flags: 0, stream: stream, payload: Frame.block(fields))),
      ]
    }
    defer { peer.stop() }
    let client = Client()
    let before = try ResidentMemory.kibibytes
    for _ in 1...5 { #expect(await failure(client, peer) != nil) }
    #expect(try ResidentMemory.kibibytes - before < 16 << 10)
    await client.transport.shutdown()
  }

  @Test func `after a GOAWAY only requests that were not processed are sent again`() async throws {
    // The GOAWAY includes the stream, so that the server may have processed the request: a repetition is not safe.
    let processed = try HTTP2Peer { stream, _ in [.send(.goAway(last: stream)), .close] }
    defer { processed.stop() }
    let client = Client()
    let error = await failure(client, processed, .post)
    #expect(error?.kind == .connectionLost)
    #expect(error?.isUnprocessed == false)
    #expect(processed.requestCount == 1)
    // The GOAWAY excludes the stream, so that the server has not processed the request: a retrier may repeat it.
    let refused = try HTTP2Peer { stream, number in
      number == 0
        ? [.send(.goAway(last: 0)), .close] : [.send(.head(stream)), .send(.data(stream, "ok", ends: true))]
    }
    defer { refused.stop() }
    let session = try Session.Builder().transport(client.transport).httpVersion(.http2).retrier(.backoff(limit: 1))
      .build()
    #expect(await session.request(refused.url).serializingString().response.value == "ok")
    await client.transport.shutdown()
  }

  @Test func `a stream that is refused is sent once for each attempt`() async throws {
    let peer = try HTTP2Peer { stream, _ in [.send(.reset(stream, code: 7))] }
    defer { peer.stop() }
    let client = Client()
    let error = await failure(client, peer, .post)
    #expect(error?.kind == .connectionLost)
    #expect(error?.isUnprocessed == true)
    #expect(peer.requestCount == 1)
    await client.transport.shutdown()
  }

  @Test(arguments: [false, true])
  func `a broken rule of HTTP 2 before the head is a malformed response`(isSecured: Bool) async throws {
    let client = Client.trusting()
    for (rule, frames) in Self.brokenRules {
      let peer = try HTTP2Peer(isSecured: isSecured) { stream, _ in frames(stream).map { .send($0) } }
      #expect(await failure(client, peer)?.kind == .malformedResponse, "\(rule)")
      peer.stop()
    }
    await client.transport.shutdown()
  }

  private static let brokenRules: [(rule: String, frames: @Sendable (UInt32) -> [Frame])] = [
    ("DATA on an idle stream", { _ in [.data(99, "x", ends: false)] }),
    ("DATA before HEADERS", { [.data($0, "x", ends: false)] }),
    ("an end without a head", { [.data($0, "", ends: true)] }),
    ("padding longer than its frame", { [Frame(type: 0, flags: 8, stream: $0, payload: [255, 0])] }),
    ("a frame longer than agreed", { [Frame(type: 0, stream: $0, payload: [UInt8](repeating: 0, count: 20_000))] }),
    (
      "PUSH_PROMISE",
      { [Frame(type: 5, flags: 4, stream: $0, payload: [0, 0, 0, 2] + Frame.block([(":status", "200")]))] }
    ),
    ("a window overflow", { _ in [Frame(type: 8, payload: [0x7F, 255, 255, 255])] }),
    ("a bad block of fields", { [Frame(type: 1, flags: 4, stream: $0, payload: [255, 255, 255, 255, 255, 255])] }),
    ("an upper-case name", { [.head($0, [("X-A", "1")])] }),
    ("a head without a status", { [.trailers($0, [("x-a", "1")])] }),
    ("a stream that ends with PROTOCOL_ERROR", { [.reset($0, code: 1)] }),
  ]

  @Test(arguments: [false, true])
  func `a list of fields beyond the limits over HTTP 2 is an error of the limit`(isSecured: Bool) async throws {
    let client = Client.trusting()
    let fields = (0..<100).map { ("x-\($0)", String(repeating: "a", count: 100)) }
    // Index 62 is the newest entry of the dynamic table (RFC 7541 section 2.3.3).
    let entry: [UInt8] = [0x40, 1, 0x78, 0x7E] + [UInt8](repeating: 0x61, count: 126)
    let lists: [(UInt32) -> [Frame]] = [
      { stream in
        [Frame(type: 1, stream: stream, payload: Frame.block([(":status", "200")]))]
          + (1...30).map { Frame(type: 9, flags: $0 == 30 ? 4 : 0, stream: stream, payload: Frame.block(fields)) }
      },
      { stream in
        let repeated = [UInt8](repeating: 0xBE, count: 12_000)
        return [Frame(type: 1, flags: 4, stream: stream, payload: Frame.block([(":status", "200")]) + entry + repeated)]
      },
      { stream in
        let repeated = [UInt8](repeating: 0xBE, count: 1_900)
        return [Frame(type: 1, flags: 5, stream: stream, payload: Frame.block([(":status", "200")]) + entry + repeated)]
      },
    ]
    for (number, list) in lists.enumerated() {
      let frames = list(1)
      let peer = try HTTP2Peer(isSecured: isSecured) { _, _ in frames.map { .send($0) } }
      let kind = await failure(client, peer)?.kind
      // nghttp2 ends a connection with more than eight CONTINUATION frames before the list exceeds the limits.
      let isEndedEarlier = TestTransport.isNative && number == 0 && kind == .malformedResponse
      #expect(
        kind == .limitExceeded(.responseFields) || kind == .limitExceeded(.responseFieldCount) || isEndedEarlier,
        "list \(number): \(String(describing: kind))")
      peer.stop()
    }
    await client.transport.shutdown()
  }

  @Test func `the message of an idle timeout does not claim that no byte moved`() async throws {
    // An incomplete field section: the client receives bytes, and answers a PING frame, but gets no response.
    let hasAnswered = Gate()
    let onFrame: @Sendable (Frame) -> [HTTP2Peer.Step] = { frame in
      if frame.type == 6, frame.flags == 1 { hasAnswered.open() }
      return []
    }
    let peer = try HTTP2Peer(onFrame: onFrame) { stream, _ in
      let head = Frame(type: 1, flags: 0, stream: stream, payload: Frame.block([(":status", "200")]))
      return [.send(Frame(type: 6, payload: [UInt8](repeating: 0, count: 8))), .send(head)]
    }
    defer { peer.stop() }
    let (client, clock) = (Client(), TestClock())
    let session = try Session.Builder().transport(client.transport).httpVersion(.http2)
      .clock(clock).timeouts(idle: .seconds(60)).build()
    // The rest of the bytes, which may arrive later, starts the idle timeout again.
    let timekeeper = Task {
      try await hasAnswered.opened()
      while !Task.isCancelled {
        clock.advance(by: .seconds(60))
        await Task.yield()
      }
    }
    let error = await session.request(peer.url).serializingString().response.error
    timekeeper.cancel()
    try await timekeeper.value
    #expect(error?.kind == .timedOut(.idle))
    #expect(error?.message.contains("No byte") == false)
    await client.transport.shutdown()
  }
}
