import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineMock
import Testing

/// The time that a body waits for 100 Continue, on the virtual clock.
@Suite struct ContinueTimeTests {
  /// Makes an upload, and returns its events, its duration and the body that the mock received.
  private static func upload(
    _ reply: MockReply, reading: RequestReading = .whole
  ) async throws -> (course: [String], passed: Duration, body: String) {
    let mock = MockTransport()
    mock.stub(.post, "/", reading: reading, reply)
    let clock = ImmediateClock()
    let exchange = Exchange(method: .post, body: .text("hello"), expectsContinue: true, clock: clock)
    _ = await exchange.failure(from: mock)
    return (exchange.course, clock.now.offset, try #require(mock.requests.first).text)
  }

  @Test(arguments: [
    (MockReply.status(.ok).continues(after: .milliseconds(400)), ["100", "sent 5"], Duration.milliseconds(400)),
    (.status(.ok).continues(after: .seconds(1)), ["100", "sent 5"], .seconds(1)),
    (.status(.ok).continues(after: .seconds(3)), ["sent 5", "100"], .seconds(3)),
    (.status(.ok).continues(after: nil), ["sent 5"], .seconds(1)),
    (.status(.ok).continues(after: nil).delay(.seconds(2)), ["sent 5"], .seconds(3)),
    (.status(.ok).delay(.seconds(5)), ["100", "sent 5"], .seconds(5)),
    (
      .status(.badRequest).continues(after: .milliseconds(1)).delay(.seconds(5)), ["100", "sent 5"], .milliseconds(5001)
    ),
  ]) func `the body waits for 100, but a second at most`(
    reply: MockReply, course: [String], passed: Duration
  ) async throws {
    let found = try await Self.upload(reply)
    #expect(found.course == ["connected"] + course)
    #expect(found.passed == passed)
    #expect(found.body == "hello")
  }

  @Test(
    arguments: [
      (MockReply.status(.badRequest).delay(.seconds(1)), [], Duration.seconds(1), ""),
      (.status(.badRequest).delay(.milliseconds(1001)), ["sent 5"], .milliseconds(1001), "hello"),
      (.status(.badRequest).delay(.seconds(60)), ["sent 5"], .seconds(60), "hello"),
      (.status(.badRequest).latency(.constant(.milliseconds(900))).delay(.milliseconds(100)), [], .seconds(1), ""),
      (
        .status(.badRequest).latency(.constant(.seconds(1))).delay(.milliseconds(1)), ["sent 5"], .milliseconds(1001),
        "hello"
      ),
      (.reset.delay(.seconds(1)), [], .seconds(1), ""), (.reset.delay(.seconds(2)), ["sent 5"], .seconds(2), "hello"),
      (.stall, ["sent 5"], .seconds(365 * 86_400 + 1), "hello"),
    ] as [(MockReply, [String], Duration, String)])
  func `a refusal that takes longer than a second finds the body sent`(
    reply: MockReply, course: [String], passed: Duration, body: String
  ) async throws {
    let found = try await Self.upload(reply)
    #expect(found.course == ["connected"] + course)
    #expect(found.passed == passed)
    #expect(found.body == body)
  }

  @Test func `a stub that takes none of the body takes none after a second either`() async throws {
    let found = try await Self.upload(.status(.badRequest).delay(.seconds(5)), reading: .first(bytes: 0))
    #expect(found.course == ["connected"])
    #expect(found.passed == .seconds(5))
    #expect(found.body == "")
  }

  @Test func `the body is not read before the 100 or its timeout`() async throws {
    let mock = MockTransport()
    mock.stub(.post, "/", .status(.ok).continues(after: .milliseconds(400)))
    let clock = TestClock()
    let exchange = Exchange(method: .post, body: .text("hello"), expectsContinue: true, clock: clock)
    async let response = exchange.response(from: mock)
    await clock.waitForSleepers()
    clock.advance(by: .milliseconds(399))
    #expect(exchange.course == ["connected"])
    #expect(mock.requests.isEmpty)
    clock.advance(by: .milliseconds(1))
    #expect(try await response.head.status == .ok)
    #expect(exchange.course == ["connected", "100", "sent 5"])
  }

  @Test func `a cancellation ends the wait, and leaves a one-shot stream whole`() async throws {
    let mock = MockTransport()
    mock.stub(.post, "/", .status(.ok).continues(after: nil))
    let clock = TestClock()
    let stream = AsyncStream<[UInt8]> { pieces in
      pieces.yield(Array("hello".utf8))
      pieces.finish()
    }
    let cancelled = Exchange(method: .post, body: .oneShot(stream), expectsContinue: true, clock: clock)
    async let failure = cancelled.failure(from: mock)
    await clock.waitForSleepers()
    cancelled.control.cancel(LupineError(.timedOut(.total), "enough"))
    #expect(await failure?.kind == .timedOut(.total))
    #expect(mock.requests.isEmpty)
    mock.stub(.post, "/next", .status(.ok))
    _ = try await Exchange(
      method: .post, url: "https://example.com/next", body: cancelled.body, expectsContinue: true
    ).response(from: mock)
    #expect(mock.requests.map(\.text) == ["hello"])
  }
}
