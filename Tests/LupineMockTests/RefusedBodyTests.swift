import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineSession
import LupineMock
import Synchronization
import Testing

/// Requests whose stub reads the body, and then fails with a fault that precedes any connection: nothing is sent.
@Suite struct RefusedBodyTests {
  /// The part of a stub that reads the body.
  enum Sight: CaseIterable { case condition, closure }

  static let faults: [NetworkFault] = [.hostNotFound, .connectionRefused, .networkUnreachable, .tlsRefused]

  /// A mock that fails the first request with the fault, and returns the body of the second one.
  private static func mock(_ sight: Sight, _ fault: NetworkFault = .connectionRefused) -> MockTransport {
    let mock = MockTransport()
    switch sight {
    case .condition: mock.stub(.post, "/", where: [.body("hello")], count: .once, .fault(fault))
    case .closure: mock.stub(.post, "/", count: .once) { $0.text == "hello" ? .fault(fault) : .status(.badRequest) }
    }
    mock.stub(.post, "/", priority: -1) { .text($0.text) }
    return mock
  }

  private static func oneShot(_ text: String) -> RequestBody {
    .oneShot(
      AsyncStream { pieces in
        for byte in text.utf8 { pieces.yield([byte]) }
        pieces.finish()
      })
  }

  private static func tellsOfSending(_ events: Exchange.Events) -> Bool {
    events.all.contains { if case .sent = $0 { true } else { false } }
  }

  @Test(arguments: Sight.allCases, faults)
  func `nothing is sent, although the stub saw the body`(sight: Sight, fault: NetworkFault) async throws {
    let mock = Self.mock(sight, fault)
    let exchange = Exchange(method: .post, body: .text("hello"))
    let failure = try #require(await exchange.failure(from: mock))
    #expect(failure.kind != .unmatchedRequest)
    #expect(failure.metrics?.bytesSent == 0)
    #expect(!Self.tellsOfSending(exchange.events))
    #expect(mock.requests.map(\.text) == [""])
    #expect(mock.requests.map(\.isBodyComplete) == [false])
    let (_, text, end) = try await exchange.response(from: mock)
    #expect(text == "hello")
    #expect(end.metrics.bytesSent == 5)
    #expect(Self.tellsOfSending(exchange.events))
  }

  @Test(arguments: Sight.allCases) func `a one-shot stream is sent by the next exchange`(sight: Sight) async throws {
    let mock = Self.mock(sight)
    let exchange = Exchange(method: .post, body: Self.oneShot("hello"))
    #expect(await exchange.failure(from: mock)?.kind == .connectionRefused)
    #expect(try await exchange.response(from: mock).text == "hello")
    #expect(mock.requests.map(\.text) == ["", "hello"])
    #expect(await exchange.failure(from: mock)?.kind == .bodyFailed)
  }

  @Test func `a retry of it reports its progress once`() async throws {
    let mock = Self.mock(.condition)
    let session = try Session.Builder().transport(mock).clock(ImmediateClock()).retrier(.backoff(limit: 1)).build()
    let request = try OutgoingRequest("https://example.com/", method: .post, body: Self.oneShot("hello"))
    let told = Mutex<[Int64]>([])
    let response = await session.request(request).idempotencyKey()
      .uploadProgress { progress in
        #expect(mock.requests.map(\.attempt) == [1, 2])
        told.withLock { $0.append(progress.completed) }
      }
      .serializingString().response
    #expect(response.value == "hello")
    #expect(response.metrics.bytesSent == 5)
    #expect(told.withLock { $0.last } == 5)
  }

  @Test func `progress of a slow stream is reported at once if no stub can refuse the body`() async throws {
    let mock = MockTransport()
    mock.stub(.post, "/") { .text($0.text) }
    let (stream, pieces) = AsyncStream.makeStream(of: [UInt8].self)
    let session = try Session.Builder().transport(mock).build()
    let request = try OutgoingRequest("https://example.com/", method: .post, body: .oneShot(stream))
    pieces.yield(Array("early ".utf8))
    let response = await session.request(request)
      .uploadProgress { progress in
        guard progress.completed == 6 else { return }
        pieces.yield(Array("late".utf8))
        pieces.finish()
      }
      .serializingString().response
    #expect(response.value == "early late")
  }

  @Test func `an async closure is asked when the body has been sent`() async throws {
    let mock = MockTransport()
    let exchange = Exchange(method: .post, body: .text("hello"))
    mock.stub(.post, "/") { [events = exchange.events] _ async in
      #expect(Self.tellsOfSending(events))
      return .fault(.connectionRefused)
    }
    let failure = try #require(await exchange.failure(from: mock))
    #expect(failure.kind == .connectionRefused)
    #expect(failure.metrics?.bytesSent == 0)
  }
}
