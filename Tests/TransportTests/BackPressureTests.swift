import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineTesting
import Synchronization
import Testing
import TransportSupport

@Suite(.overEachTransport) struct BackPressureTests {
  @Test func `a consumer that does not read stops the server`() async throws {
    let server = try ScriptedServer { $0.path == "/endless" ? .endlessBody : .respond() }
    let client = Client()
    let control = ExchangeControl()
    let sink = BodySink.stream(window: 100_000)
    let response = try await client.transport.send(
      OutgoingRequest(url: HTTPURL(server.url + "/endless")), in: client.context(control: control, sink: sink))
    for _ in 1...200 { _ = try await client.fetch(server.url) }
    #expect(control.metrics.bytesReceived <= 100_000 + (32 << 10))
    var taken = 0
    while taken < 1_000_000 { taken += try await response.body.next()?.count ?? 0 }
    for _ in 1...200 { _ = try await client.fetch(server.url) }
    #expect(control.metrics.bytesReceived >= 1_000_000)
    #expect(control.metrics.bytesReceived <= taken + 100_000 + (32 << 10))
    control.cancel(LupineError(.cancelled, "Enough."))
    await client.transport.shutdown()
  }

  @Test func `a response of known length that is paused at its end completes`() async throws {
    let server = try ScriptedServer(always: .respond(body: .filler(50_000)))
    let client = Client()
    let response = try await client.transport.send(
      OutgoingRequest(url: HTTPURL(server.url)), in: client.context(sink: .stream(window: 1)))
    var count = 0
    while let piece = try await response.body.next() {
      count += piece.count
      _ = try await client.fetch(server.url)
    }
    #expect(count == 50_000)
    await client.transport.shutdown()
  }

  @Test func `a response that is large passes a slow consumer whole`() async throws {
    let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
    let chunks = stride(from: 0, to: bytes.count, by: 50_000).map { Array(bytes[$0..<($0 + 50_000)]) }
    let server = try ScriptedServer { $0.path == "/chunks" ? .chunked(chunks) : .respond(body: .bytes(bytes)) }
    let client = Client()
    for path in ["/chunks", "/length"] {
      let response = try await client.transport.send(
        OutgoingRequest(url: HTTPURL(server.url + path)), in: client.context(sink: .stream(window: 1)))
      var received: [UInt8] = []
      while let piece = try await response.body.next() { received += piece }
      #expect(received == bytes)
    }
    #expect(server.connectionCount == 1)
    await client.transport.shutdown()
  }

  @Test func `a suspended exchange holds its body back until it is resumed`() async throws {
    let gate = Gate()
    let server = try ScriptedServer {
      $0.path == "/held"
        ? [
          .head(status: 200, fields: ["Content-Length": "200000"]), .wait(gate),
          .body(ScriptedBody.filler(200_000).bytes),
        ]
        : .respond()
    }
    let client = Client()
    let control = ExchangeControl()
    let sink = BodySink.collect(limit: .max)
    let response = try await client.transport.send(
      OutgoingRequest(url: HTTPURL(server.url + "/held")), in: client.context(control: control, sink: sink))
    control.setSuspended(true)
    gate.open()
    for _ in 1...100 { _ = try await client.fetch(server.url) }
    // The native transport hands over the content of one buffer at most, libcurl less.
    #expect(control.metrics.bytesReceived <= 128 << 10)
    control.setSuspended(false)
    #expect(try await response.body.end().data.count == 200_000)
    await client.transport.shutdown()
  }

  @Test func `a server that does not read holds the body's reader back`() async throws {
    let gate = Gate()
    let server = try ScriptedServer(readsBody: false) { request in
      request.path == "/slow"
        ? [.wait(gate), .readBody, .head(status: 200, fields: ["Content-Length": "0"])] : .respond()
    }
    let client = Client()
    let read = Counter()
    let body = RequestBody(length: 64 << 20, isReplayable: true) { (_) throws(LupineError) in
      CountingReader(length: 64 << 20, read)
    }
    async let upload = client.fetch(server.url + "/slow", method: .put, body: body).status
    try await server.waitForRequest()
    for _ in 1...200 { _ = try await client.fetch(server.url) }
    #expect(read.total < 32 << 20)
    gate.open()
    #expect(try await upload == 200)
    #expect(read.total == 64 << 20)
    await client.transport.shutdown()
  }
}

/// Counts the bytes that the request's body yields.
private final class Counter: Sendable {
  private let count = Atomic(0)

  var total: Int { count.load(ordering: .relaxed) }

  func add(_ number: Int) { count.add(number, ordering: .relaxed) }
}

private final class CountingReader: BodyReader {
  let length: Int64?
  private let counter: Counter
  private let left: Atomic<Int>

  init(length: Int, _ counter: Counter) {
    self.length = Int64(length)
    self.counter = counter
    left = Atomic(length)
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(LupineError) -> BodyRead {
    let count = min(buffer.count, left.load(ordering: .relaxed))
    guard count > 0 else { return .end }
    left.subtract(count, ordering: .relaxed)
    counter.add(count)
    return .bytes(count)
  }

  func cancel() {}
}
