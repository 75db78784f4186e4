import HTTPTypes
import LupineCore
import LupineStreams
import LupineSession
import LupineMock
import Testing

/// The waits before a stream of events connects again.
@Suite struct ReconnectionTests {
  private let mock = MockTransport()
  private let clock = ImmediateClock()
  private let url = "https://example.com/events"

  private func session(random: UInt64) throws -> Session {
    try Session.Builder().transport(mock).clock(clock).random { random }.build()
  }

  private func page(_ text: String) -> MockReply { .text(text).field(.contentType, "text/event-stream") }

  /// Reads the stream to its error; returns the waits between its connections in milliseconds, and the error.
  private func waits(
    random: UInt64 = .max, retry: Duration = .seconds(3), limit: Int?, _ replies: [MockReply]
  ) async throws -> (milliseconds: [Double], error: LupineError?) {
    let moments = Notes<VirtualInstant>()
    mock.stub(.get, url) { [clock] _ in
      moments.add(clock.now)
      return replies[min(moments.all.count, replies.count) - 1]
    }
    let stream = try session(random: random).streamRequest(url)
    var failure: LupineError?
    do throws(LupineError) {
      for try await _ in stream.serializingEvents(retry: retry, reconnectionLimit: limit) {}
    } catch {
      failure = error
    }
    let waits = zip(moments.all, moments.all.dropFirst()).map { $0.duration(to: $1) / .milliseconds(1) }
    return (waits.map { $0.rounded() }, failure)
  }

  @Test func `the waits grow if a server requests none and closes the connection`() async throws {
    let (waits, error) = try await waits(limit: 11, [page("retry: 0\n\n")])
    #expect(waits == [100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000])
    #expect(error?.kind == .connectionLost)
    #expect(error?.message.contains("11 reconnections") == true)
  }

  @Test func `the wait is drawn, and no shorter than the server asks`() async throws {
    let (waits, _) = try await waits(random: 0, limit: 4, [page("retry: 700\n\n")])
    #expect(waits == [700, 700, 700, 700])
  }

  @Test func `a server may ask for longer than the cap`() async throws {
    let (waits, _) = try await waits(limit: 3, [page("retry: 60000\n\n")])
    #expect(waits == [60_000, 60_000, 60_000])
  }

  @Test func `an event resets the wait`() async throws {
    let (waits, error) = try await waits(
      retry: .zero, limit: 2,
      [page(""), .failure(.connectionRefused), page("data: a\n\n"), .failure(.connectionRefused)])
    #expect(waits == [100, 200, 100, 200])
    #expect(error?.kind == .connectionRefused)
  }

  @Test func `a limit of zero ends the stream with the loss of its connection`() async throws {
    let (waits, error) = try await waits(limit: 0, [.failure(.connectionRefused)])
    #expect(waits.isEmpty)
    #expect(error?.kind == .connectionRefused)
  }

  @Test func `a handler receives the error of the limit`() async throws {
    mock.stub(.get, url, .failure(.connectionRefused))
    let session = try session(random: 0)
    let notes = Notes<String>()
    session.streamRequest(url).responseStreamEvent(reconnectionLimit: 2) { notes.add("\($0.error?.kind ?? .other)") }
    await session.finishRequests()
    #expect(notes.all == ["connectionRefused"])
    #expect(mock.requests.count == 3)
  }
}

/// The streams of events that connect again, and those that do not.
@Suite struct RepeatedEventRequestTests {
  private let mock = MockTransport()
  private let log = EventLog()
  private let url = "https://example.com/events"

  private func session() throws -> Session {
    let page = MockReply.text("data: a\n\n").field(.contentType, "text/event-stream")
    let pages = [page, page.reset(afterBytes: 9), .status(.noContent)]
    mock.stub([.get, .post, .put], url, .sequence(pages))
    return try Session.Builder().transport(mock).clock(ImmediateClock()).monitor(log).build()
  }

  private func count(_ request: DataStreamRequest, reconnects: Bool? = nil) async throws(LupineError) -> Int {
    var count = 0
    for try await _ in request.serializingEvents(reconnects: reconnects) { count += 1 }
    return count
  }

  private var lastRetrying: String? {
    log.all.compactMap { if case .retrying = $0.kind { "\($0.kind)" } else { nil } }.last
  }

  @Test func `a POST of events is sent once, and ends when the server ends it`() async throws {
    let request = try session().streamRequest(url, method: .post, parameters: ["prompt": "hello"], encoder: .json)
    #expect(try await count(request) == 1)
    #expect(mock.requests.count == 1)
    #expect(lastRetrying == nil)
  }

  @Test func `a POST of events that loses its connection fails, and an event has the reason why it is not sent again`()
    async throws
  {
    let session = try session()
    _ = try await count(session.streamRequest(url, method: .post))
    let error = await #expect(throws: LupineError.self) {
      _ = try await count(session.streamRequest(url, method: .post))
    }
    #expect(error?.kind == .connectionLost)
    #expect(mock.requests.count == 2)
    #expect(lastRetrying == "not retrying: the request is not idempotent")
  }

  @Test func `a handler's POST of events is sent once, too`() async throws {
    let session = try session()
    let notes = Notes<String>()
    session.streamRequest(url, method: .post).responseStreamEvent { notes.add($0.value?.data ?? "end") }
    await session.finishRequests()
    #expect(notes.all == ["a", "end"])
    #expect(mock.requests.count == 1)
  }

  @Test func `a POST reconnects if the program allows it`() async throws {
    #expect(try await count(session().streamRequest(url, method: .post), reconnects: true) == 2)
    #expect(mock.requests.count == 3)
  }

  @Test func `a POST with an idempotency key of its own connects again`() async throws {
    let name = try #require(HTTPField.Name("Idempotency-Key"))
    #expect(try await count(session().streamRequest(url, method: .post, headers: [.init(name): "1"])) == 2)
    #expect(mock.requests.count == 3)
  }

  @Test func `a POST reconnects if its options mark it as idempotent`() async throws {
    let request = try session().streamRequest(url, method: .post).options { $0.isIdempotent = true }
    #expect(try await count(request) == 2)
  }

  @Test func `a key that the session makes is the same on every connection`() async throws {
    let name = try #require(HTTPField.Name("Idempotency-Key"))
    #expect(try await count(session().streamRequest(url, method: .post).idempotencyKey()) == 2)
    let keys = mock.requests.map { $0.headers[name] }
    #expect(keys.count == 3)
    #expect(Set(keys).count == 1)
    #expect(keys.first != .some(nil))
  }

  @Test func `a request whose body can be sent only once does not connect again`() async throws {
    var request = try OutgoingRequest(url, method: .put)
    request.body = .oneShot(AsyncStream<[UInt8]> { $0.finish() })
    #expect(try await count(session().streamRequest(request)) == 1)
    #expect(mock.requests.count == 1)
  }

  @Test func `a connection that is lost and opened again is not called the last before`() async throws {
    _ = try await count(session().streamRequest(url))
    #expect(log.names.count { $0 == "failed" } == 1)
    let words = log.all.compactMap { if case .retrying = $0.kind { "\($0.kind)" } else { nil } }
    #expect(words.count == 2)
    #expect(words.allSatisfy { $0.hasPrefix("retrying after") })
  }

  @Test func `a stream that fails after bytes were handed over has the reason why it is not retried`() async throws {
    let session = try session()
    _ = try await count(session.streamRequest(url, method: .post))
    await #expect(throws: LupineError.self) {
      for try await _ in session.streamRequest(url).retrier(.backoff(limit: 3)).serializingBytes() {}
    }
    #expect(mock.requests.count == 2)
    #expect(lastRetrying == "not retrying: its response was already handed over")
  }
}
