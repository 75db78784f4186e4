import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineSession
import LupineMock
import LupineResilience
import Testing

@Suite struct HedgingTests {
  private struct Ending: Sendable {
    let response: DataResponse<String>
    let time: Duration
    let sent: Int
    let policies: [String]
  }

  /// Hedges also on the statuses that a retry policy retries.
  private static var onStatus: Hedging {
    .hedging(after: .seconds(2), badStatusCodes: RetryPolicy.defaultStatusCodes)
  }

  /// Makes one request to a server that sends these replies in order, and returns its result and its course.
  private static func run(
    _ replies: [MockReply], method: HTTPRequest.Method = .get, hedging: Hedging = .hedging(after: .seconds(2)),
    body: @escaping @Sendable () -> RequestBody = { .none }
  ) async throws -> Ending {
    try await withSimulation { simulation in
      let world = World(simulation)
      world.mock.stub([.get, .post, .put], "/", .sequence(replies))
      world.mock.stub(.get, "/next", count: .optional, .text("next"))
      let session = try world.session { $0.install(hedging) }
      let request = try OutgoingRequest(World.url, method: method, body: body())
      let response = await session.request(request).serializingString().response
      let time = simulation.clock.now.offset
      try await simulation.sleep(for: .milliseconds(1))
      try simulation.expect(world.transport.running == 0, "\(world.transport.running) exchanges are left")
      return Ending(response: response, time: time, sent: world.transport.total, policies: world.policies)
    }
  }

  @Test func `a request that is slow by chance is answered by its hedge`() async throws {
    let ending = try await Self.run([.text("slow").delay(.seconds(30)), .text("fast").delay(.seconds(1))])
    #expect(ending.response.value == "fast")
    #expect(ending.time == .seconds(3))
    #expect(ending.policies == ["hedging: sends the exchange again: no response arrived within 2000.00 ms"])
  }

  @Test func `the first may still win`() async throws {
    let ending = try await Self.run([.text("first").delay(.seconds(3)), .text("second").delay(.seconds(9))])
    #expect(ending.response.value == "first")
    #expect(ending.time == .seconds(3))
    #expect(ending.sent == 2)
  }

  @Test func `an answer in time is not hedged`() async throws {
    let ending = try await Self.run([.text("fast").delay(.seconds(1)), .text("second")])
    #expect(ending.response.value == "fast")
    #expect(ending.sent == 1)
  }

  @Test(arguments: [500, 502, 503, 429])
  func `a status starts no hedge unless it is named, because it would double the load of a server that fails`(
    status: Int
  ) async throws {
    let reply = MockReply.text("sorry", status: .init(code: status))
    let ending = try await Self.run([reply, .text("good")])
    #expect(ending.response.value == "sorry")
    #expect(ending.sent == 1)
    let slow = try await Self.run([reply.delay(.seconds(3)), .text("good").delay(.seconds(5))])
    #expect(slow.response.value == "sorry")
    #expect(slow.time == .seconds(3))
    let named = try await Self.run(
      [reply, .text("good")], hedging: .hedging(after: .seconds(2), badStatusCodes: [status]))
    #expect(named.response.value == "good")
    #expect(named.sent == 2)
  }

  @Test func `a named status and a lost connection are hedged at once`() async throws {
    for (reply, hedging) in [(MockReply.status(.serviceUnavailable), Self.onStatus), (.reset, Hedging())] {
      let ending = try await Self.run([reply, .text("good")], hedging: hedging)
      #expect(ending.response.value == "good")
      #expect(ending.time == .zero)
    }
  }

  @Test(arguments: [
    MockReply.failure(.certificateRejected), .failure(.malformedResponse), .failure(.circuitOpen),
    .failure(.rateLimited), .status(.serviceUnavailable).field(.retryAfter, "1"),
    .status(.tooManyRequests).field(.retryAfter, "99999999"),
  ])
  func `an error that another try would not repair is not hedged`(reply: MockReply) async throws {
    for reply in [reply, reply.delay(.seconds(1))] {
      let ending = try await Self.run([reply, .text("second")], hedging: Self.onStatus)
      #expect(ending.response.value != "second")
      #expect(ending.sent == 1)
      #expect(ending.policies.isEmpty)
    }
  }

  @Test func `a running hedge continues after an error that is not hedged`() async throws {
    let ending = try await Self.run(
      [.failure(.certificateRejected).delay(.seconds(3)), .text("good").delay(.seconds(5)), .text("third")],
      hedging: .hedging(after: .seconds(2), limit: 2))
    #expect(ending.response.value == "good")
    #expect(ending.time == .seconds(7))
    #expect(ending.sent == 2)
  }

  @Test func `without a successful response the last outcome counts, with its body`() async throws {
    let bad = try await Self.run([.reset, .text("sorry", status: .serviceUnavailable)], hedging: Self.onStatus)
    #expect(bad.response.value == "sorry")
    #expect(bad.response.response?.status == .serviceUnavailable)
    let lost = try await Self.run(
      [.status(.serviceUnavailable), .fault(.connectionRefused)], hedging: Self.onStatus)
    #expect(lost.response.error?.kind == .connectionRefused)
  }

  @Test func `a bad answer waits for a hedge that is under way`() async throws {
    let ending = try await Self.run(
      [.text("sorry", status: .serviceUnavailable).delay(.seconds(3)), .text("good").delay(.seconds(5))],
      hedging: Self.onStatus)
    #expect(ending.response.value == "good")
    #expect(ending.time == .seconds(7))
  }

  @Test func `a request that is not idempotent, or can be sent only once, is not hedged`() async throws {
    let post = try await Self.run([.text("slow").delay(.seconds(30))], method: .post)
    #expect(post.sent == 1)
    let once = try await Self.run([.text("slow").delay(.seconds(30))], method: .put) {
      .oneShot(AsyncStream<[UInt8]> { $0.finish() })
    }
    #expect(once.sent == 1)
    let put = try await Self.run([.text("slow").delay(.seconds(30)), .text("fast")], method: .put) { .text("again") }
    #expect(put.response.value == "fast")
  }

  @Test func `more than one hedge may be made`() async throws {
    let slow = MockReply.text("slow").delay(.seconds(30))
    let ending = try await Self.run([slow, slow, slow, .text("fast")], hedging: .hedging(after: .seconds(1), limit: 3))
    #expect(ending.response.value == "fast")
    #expect(ending.time == .seconds(3))
    #expect(ending.sent == 4)
  }

  @Test(arguments: [(-1, 1), (0, 1), (.max, 3)])
  func `there may be none, and as many as it takes`(limit: Int, sent: Int) async throws {
    let slow = MockReply.text("slow").delay(.seconds(30))
    let replies = [slow, slow, limit > 0 ? .text("fast") : slow]
    let ending = try await Self.run(replies, hedging: .hedging(after: .seconds(1), limit: limit))
    #expect(ending.response.error == nil)
    #expect(ending.sent == sent)
  }

  @Test func `hedges have a budget`() async throws {
    var hedging = Hedging(delay: .seconds(1), limit: 3)
    hedging.budget = RetryBudget(capacity: 1, refund: 0)
    let slow = MockReply.text("slow").delay(.seconds(30))
    let ending = try await Self.run([slow, slow, .text("fast")], hedging: hedging)
    #expect(ending.response.value == "slow")
    #expect(ending.sent == 2)
    #expect(ending.policies.last == "hedging: the budget of hedges for https://a.example.com is spent")
    let reset = try await Self.run([.reset, .reset, .text("up")], hedging: hedging)
    #expect(reset.response.error?.kind == .connectionLost)
  }

  @Test func `a failed response is the outcome, with its body, if the budget is used up`() async throws {
    var hedging = Hedging(delay: .seconds(1), limit: 3, badStatusCodes: RetryPolicy.defaultStatusCodes)
    let bad = MockReply.text("sorry", status: .serviceUnavailable)
    for (capacity, replies) in [(0.0, [bad]), (1, [.status(.badGateway), bad]), (1, [.reset, bad])] {
      hedging.budget = RetryBudget(capacity: capacity, refund: 0)
      let ending = try await Self.run(replies + [.text("good")], hedging: hedging)
      #expect(ending.response.value == "sorry", "\(String(describing: ending.response.error))")
      #expect(ending.response.response?.status == .serviceUnavailable)
      #expect(ending.sent == replies.count)
      #expect(ending.policies.last == "hedging: the budget of hedges for https://a.example.com is spent")
    }
  }

  @Test func `a bad answer whose body does not end is hedged at once`() async throws {
    let stalled = MockReply.text("sorry", status: .serviceUnavailable).stall(afterBytes: 1)
    let ending = try await Self.run([stalled, .text("good")], hedging: Self.onStatus)
    #expect(ending.response.value == "good")
    #expect(ending.time == .zero)
    #expect(ending.sent == 2)
  }

  @Test func `the winner's redirect is followed`() async throws {
    let ending = try await Self.run([.text("slow").delay(.seconds(30)), .redirect(to: "/next")])
    #expect(ending.response.value == "next")
    #expect(ending.response.redirects.count == 1)
  }

  @Test func `cancelling the request ends all tries`() async throws {
    try await withSimulation { simulation in
      let world = World(simulation)
      world.mock.stub(.get, "/", .stall)
      let session = try world.session { $0.install(.hedging(after: .seconds(1), limit: 2)) }
      let request = session.request(World.url)
      async let response = request.serializingData().response
      try await simulation.sleep(for: .seconds(5))
      try simulation.expect(world.transport.running == 3, "\(world.transport.running)")
      request.cancel()
      let error = await response.error
      try simulation.expect(error?.kind == .cancelled, "\(String(describing: error))")
      try await simulation.sleep(for: .milliseconds(1))
      try simulation.expect(world.transport.running == 0, "\(world.transport.running) are left")
    }
  }

  @Test func `a body that is slow is read from the winner, with its progress`() async throws {
    let chunks = MockReply.text("").chunked(["a", "b", "c"], every: .seconds(1))
    let ending = try await Self.run([.stall, chunks])
    #expect(ending.response.value == "abc")
    #expect(ending.time == .seconds(4))
  }

  @Test(arguments: 0..<100 as Range<UInt64>)
  func `whatever happens to its tries, a request ends once`(seed: UInt64) async throws {
    try await Simulation.explore(seeds: [seed], mix: .withCancellations) { simulation in
      let world = World(simulation)
      world.mock.stub(.get, "/", .text("abc"))
      let session = try world.session { $0.install(.hedging(after: .milliseconds(300), limit: 2)) }
      let errors = await session.errors(5)
      try simulation.expect(errors.count == 5, "\(errors)")
      try await simulation.sleep(for: .seconds(120))
      try simulation.expect(world.transport.running == 0, "\(world.transport.running) are left")
    }
  }
}
