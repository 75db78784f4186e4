import FoundationEssentials
import Lupine
import LupineMock
import Synchronization
import Testing

@Suite struct RetryTests {
  private static let url = "https://a.example.com/"

  private static func count(
    _ reply: MockReply, _ request: (Session) throws -> DataRequest
  ) async throws -> (requests: Int, error: LupineError?, time: Duration) {
    let mock = MockTransport()
    mock.stub([.get, .post, .put], "/", reply)
    let clock = ImmediateClock()
    let session = try Session.Builder().transport(mock).clock(clock).random { .max }.retrier(.backoff(limit: 3)).build()
    let response = await (try request(session)).serializingData().response
    return (mock.requests.count, response.error, clock.now.offset)
  }

  @Test func `a POST is sent once, whatever fails, unless it is marked`() async throws {
    for reply in [MockReply.reset, .status(.serviceUnavailable), .stall] {
      let plain = try await Self.count(reply) { $0.request(Self.url, method: .post) }
      #expect(plain.requests == 1)
      let keyed = try await Self.count(reply) { $0.request(Self.url, method: .post).idempotencyKey() }
      #expect(keyed.requests == 4)
    }
  }

  @Test func `a body that was consumed is not sent again, and the error says so`() async throws {
    let ended = try await Self.count(.reset) { session in
      let bytes = AsyncStream<[UInt8]> { continuation in
        continuation.yield([1])
        continuation.finish()
      }
      return session.request(try OutgoingRequest(Self.url, method: .put, body: .oneShot(bytes)))
    }
    #expect(ended.requests == 1)
    #expect(ended.error?.message.contains("the request's body can be sent only once") == true)
  }

  @Test func `a request that is cancelled during a backoff ends then, and is not sent again`() async throws {
    try await withSimulation { world in
      let mock = MockTransport()
      mock.stub(.get, "/", .status(.serviceUnavailable).field(.retryAfter, "50"))
      let session = try Session.Builder().transport(mock).retrier(.backoff(limit: 3)).build()
      let request = session.request(Self.url)
      async let response = request.serializingData().response
      try await world.sleep(for: .seconds(20))
      request.cancel()
      let error = await response.error
      try world.expect(error?.kind == .cancelled && mock.requests.count == 1, "\(String(describing: error))")
      try world.expect(world.clock.now.offset == .seconds(20), "it waited")
    }
  }

  @Test(arguments: [
    ("7", 4, 21), ("-1", 4, 3.5), ("Sun, 06 Nov 1994 08:49:37 GMT", 4, 3.5), ("99999999999999999999", 1, 0),
    ("x", 4, 3.5),
  ])
  func `Retry-After that is huge, negative or in the past does no harm`(
    value: String, requests: Int, seconds: Double
  ) async throws {
    let ended = try await Self.count(.status(.tooManyRequests).field(.retryAfter, value)) { $0.request(Self.url) }
    #expect(ended.requests == requests)
    #expect(abs(ended.time / .seconds(1) - seconds) < 0.001)
  }
}
