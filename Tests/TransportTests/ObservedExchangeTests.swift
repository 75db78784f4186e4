import HTTPTypes
import LupineCore
import LupineMock
import LupineSession
import LupineStreams
import LupineTesting
import Synchronization
import Testing
import TransportSupport
import TrustSupport

/// Collects the events that a layer or a wrapping transport observes.
private final class Observed: Sendable {
  private let events = Mutex<[SessionEvent.Kind]>([])

  var all: [SessionEvent.Kind] { events.withLock { $0 } }
  /// The kinds that do not depend on the transport's pace.
  var names: [String] {
    all.compactMap { event in
      switch event {
      case .connected(_, let isReused): isReused ? "reused" : "connected"
      case .secured: "secured"
      case .informational(let head): "interim \(head.status.code)"
      case .sent: "sent"
      default: nil
      }
    }
  }

  func add(_ event: SessionEvent.Kind) { events.withLock { $0.append(event) } }
}

/// Observes each exchange as a layer.
private struct ObservingLayer: ExchangeLayer {
  let observed: Observed

  func send(
    _ request: OutgoingRequest, in context: TransferContext, next: NextExchange
  ) async throws(LupineError) -> TransportResponse {
    try await next(request, in: context.observing { observed.add($0) })
  }
}

/// Observes each exchange as a transport.
private struct ObservingTransport: WrappingTransport {
  let base: any Transport
  let observed: Observed

  func send(_ request: OutgoingRequest, in context: TransferContext) async throws(LupineError) -> TransportResponse {
    #expect(context.isObserved)
    return try await base.send(request, in: context.observing { observed.add($0) })
  }
}

/// Observes the arrival of each body as a transport.
private struct ArrivalsTransport: WrappingTransport {
  let base: any Transport
  let observe: @Sendable (Int) -> Void

  func send(_ request: OutgoingRequest, in context: TransferContext) async throws(LupineError) -> TransportResponse {
    try await base.send(request, in: context.observingArrivals(observe))
  }
}

/// A layer and a wrapping transport see the events of one exchange, with and without monitors.
@Suite(.overEachTransport, .timeLimit(.minutes(1))) struct ObservedExchangeTests {
  private static let reply = ScriptedReply.respond(body: .text("ok")).preceded(
    by: .informational(status: 103, fields: ["Link": "</a.css>"]))

  @Test(arguments: [false, true])
  func `the connection, its certificates, interim responses and the end of the request are seen`(
    hasMonitor: Bool
  ) async throws {
    let server = try ScriptedServer(always: Self.reply)
    let relay = try TLSRelay(to: UInt16(server.port))
    defer { relay.stop() }
    let (outer, inner) = (Observed(), Observed())
    let monitored = Mutex(0)
    let transport = ObservingTransport(base: Client.trusting().transport, observed: inner)
    var builder = Session.Builder().transport(transport)
      .exchangeLayer("observing") { ObservingLayer(observed: outer) }
    if hasMonitor { builder = builder.monitor(.custom { _ in monitored.withLock { $0 += 1 } }) }
    let session = try builder.build()
    for _ in 1...2 {
      #expect(try await session.request("https://localhost:\(relay.port)/").serializingString().value == "ok")
    }
    let expected = ["connected", "secured", "sent", "interim 103", "reused", "sent", "interim 103"]
    #expect(inner.names.sorted() == expected.sorted())
    #expect(outer.names == inner.names)
    let certificates = inner.all.compactMap {
      if case .secured(let details) = $0 { details.peerCertificates } else { nil }
    }
    #expect(certificates.first?.isEmpty == false)
    #expect(monitored.withLock { $0 > 0 } == hasMonitor)
    await transport.shutdown()
  }

  @Test func `the exchanges of a mock are observed as well`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/{any...}", .text("ok").informational([HTTPResponse(status: .init(code: 103))]))
    let observed = Observed()
    let session = try Session.Builder().transport(ObservingTransport(base: mock, observed: observed)).build()
    #expect(try await session.request("https://example.com/").serializingString().value == "ok")
    #expect(observed.names == ["connected", "sent", "interim 103"])
  }

  @Test(arguments: [1, 300_000])
  func `every byte of a body is reported when it arrives`(count: Int) async throws {
    let text = String(repeating: "x", count: count)
    let server = try ScriptedServer(always: .respond(body: .text(text)))
    let arrivals = Mutex<[Int]>([])
    let transport = ArrivalsTransport(base: Client.trusting().transport) { count in
      arrivals.withLock { $0.append(count) }
    }
    let session = try Session.Builder().transport(transport).build()
    #expect(try await session.request("http://127.0.0.1:\(server.port)/").serializingString().value == text)
    let reported = arrivals.withLock { $0 }
    #expect(reported.reduce(0, +) == count)
    #expect(reported.allSatisfy { $0 > 0 })
    await transport.shutdown()
  }

  @Test func `pieces are reported at their times while the consumer does not read`() async throws {
    let clock = TestClock()
    let mock = MockTransport()
    mock.stub(.get, "/{any...}", .text("").chunked(["a", "bc"], every: .seconds(1)))
    let arrivals = AsyncStream<String>.makeStream()
    let transport = ArrivalsTransport(base: mock) { arrivals.continuation.yield("\($0) at \(clock.now.offset)") }
    let session = try Session.Builder().transport(transport).clock(clock).build()
    let body = session.streamRequest("https://example.com/").serializingBytes()
    _ = try await body.head
    var reports = arrivals.stream.makeAsyncIterator()
    #expect(await reports.next() == "1 at 0.0 seconds")
    await clock.waitForSleepers()
    clock.advance(by: .seconds(1))
    #expect(await reports.next() == "2 at 1.0 seconds")
  }
}

/// An interceptor's change of the contexts of its exchanges.
@Suite struct ExchangeContextChangeTests {
  @Test func `an interceptor observes each exchange and places its body in a longer upload`() async throws {
    let mock = MockTransport()
    mock.stub(.put, "/first", .redirect(to: "/second", status: .temporaryRedirect))
    mock.stub(.put, "/second", .text("ok"))
    let observed = Observed()
    let progress = Mutex<[Int64]>([])
    let session = try Session.Builder().transport(mock).baseURL("https://example.com").build()
    let upload = session.upload(.text("rest"), to: "first", method: .put)
      .interceptor { request, _, next in
        var request = request
        request.options[ExchangeContextChange.self] = { context in
          context.observing { observed.add($0) }.continuingUpload(at: 10, of: 14)
        }
        return try await next(request)
      }
      .uploadProgress { value in progress.withLock { $0.append(value.completed) } }
    #expect(try await upload.serializingString().value == "ok")
    #expect(observed.names.sorted() == ["connected", "connected", "sent", "sent"])
    #expect(progress.withLock { $0 }.last == 14)
  }
}
