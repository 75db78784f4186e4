import HTTPTypes
import LupineCore
import LupineSession
import LupineMock
import LupineReachability
import Testing

@Suite(.timeLimit(.minutes(1))) struct OfflineRetrierTests {
  private let path = ScriptedPath(.offline)
  private let clock = TestClock()
  private let mock = MockTransport()

  @Test func `a request that failed for want of a network is sent when there is one`() async throws {
    failOnce(.networkUnreachable)
    let session = try session(OfflineRetrier(source: path))
    async let text = session.request("https://example.com/").serializingString().value
    await path.waitForWatchers()
    await clock.waitForSleepers()
    path.set(.wifi)
    #expect(try await text == "back")
    #expect(mock.requests.count == 2)
    #expect(path.watcherCount == 0)
  }

  @Test(arguments: UInt64(0)..<20)
  func `offline and then back takes no time in a simulation`(seed: UInt64) async throws {
    failOnce(.networkUnreachable)
    let (mock, path) = (mock, path)
    try await withSimulation(seed: seed) { simulation in
      let session = try Session.Builder().transport(mock).clock(simulation.clock)
        .retrier(OfflineRetrier(maximumWait: .seconds(7200), source: path)).build()
      async let text = session.request("https://example.com/").serializingString().value
      try await path.play([.after(.seconds(3600), .wifi)], on: simulation.clock)
      #expect(try await text == "back")
      #expect(simulation.clock.now.offset == .seconds(3600))
    }
    #expect(mock.requests.count == 2)
  }

  @Test func `a network that does not come back in time leaves the failure as it is`() async throws {
    failAlways(.networkUnreachable)
    let session = try session(OfflineRetrier(source: path))
    async let response = session.request("https://example.com/").serializingString().response
    await clock.waitForSleepers()
    clock.advance(by: .milliseconds(4999))
    #expect(clock.sleepers == 1)
    clock.advance(by: .milliseconds(1))
    #expect(await response.error?.kind == .networkUnreachable)
    #expect(mock.requests.count == 1)
  }

  @Test func `how long it waits can be set`() async throws {
    failAlways(.networkUnreachable)
    let session = try session(OfflineRetrier(maximumWait: .seconds(60), source: path))
    async let response = session.request("https://example.com/").serializingString().response
    await clock.waitForSleepers()
    clock.advance(by: .seconds(59))
    #expect(clock.sleepers == 1)
    clock.advance(by: .seconds(1))
    #expect(await response.error != nil)
  }

  @Test func `many requests share one watch`() async throws {
    failAlways(.networkUnreachable)
    let session = try session(OfflineRetrier(source: path))
    await withTaskGroup(of: LupineError.Kind?.self) { group in
      for _ in 0..<50 {
        group.addTask { await session.request("https://example.com/").serializingString().response.error?.kind }
      }
      await clock.waitForSleepers(50)
      #expect(path.watcherCount == 1)
      clock.advance(by: .seconds(5))
      for await kind in group { #expect(kind == .networkUnreachable) }
    }
    #expect(path.watcherCount == 0)
  }

  @Test func `if there is a network, the next policy decides`() async throws {
    path.set(.ethernet)
    failOnce(.connectionFailed)
    let session = try session(OfflineRetrier(source: path), RetryPolicy(limit: 1))
    async let text = session.request("https://example.com/").serializingString().value
    await clock.run()
    #expect(try await text == "back")
    #expect(clock.now.offset < .seconds(1))
  }

  @Test func `after waiting in vain the policy behind it decides`() async throws {
    failOnce(.networkUnreachable)
    let session = try session(OfflineRetrier(source: path), RetryPolicy(limit: 1))
    async let text = session.request("https://example.com/").serializingString().value
    await clock.run()
    await clock.run()
    #expect(try await text == "back")
    #expect(clock.now.offset > .seconds(5))
  }

  @Test func `a status that is unknown holds nothing back`() async throws {
    path.set(.unknown(.netlinkUnavailable("not permitted")))
    failAlways(.networkUnreachable)
    let session = try session(OfflineRetrier(source: path))
    let response = await session.request("https://example.com/").serializingString().response
    #expect(response.error?.kind == .networkUnreachable)
  }

  @Test func `a cancelled request waits no longer`() async throws {
    failAlways(.networkUnreachable)
    let session = try session(OfflineRetrier(source: path))
    let request = session.request("https://example.com/")
    async let response = request.serializingString().response
    await clock.waitForSleepers()
    request.cancel()
    #expect(await response.error?.kind == .cancelled)
    #expect(clock.sleepers == 0)
  }

  @Test(arguments: [
    (HTTPRequest.Method.get, LupineError.Kind.hostNotFound, true), (.get, .networkUnreachable, true),
    (.get, .connectionFailed, true), (.get, .connectionLost, true), (.get, .timedOut(.connect), true),
    (.get, .timedOut(.idle), true), (.post, .networkUnreachable, true), (.post, .connectionLost, false),
    (.post, .timedOut(.idle), false), (.get, .connectionRefused, false), (.get, .timedOut(.total), false),
    (.get, .certificateRejected, false), (.get, .unacceptableStatusCode(503), false), (.get, .cancelled, false),
  ])
  func `only failures that a network can repair are delayed`(
    method: HTTPRequest.Method, kind: LupineError.Kind, isHeld: Bool
  ) async throws {
    let attempt = try attempt("https://example.com/", method, kind)
    #expect(await isHeldWhileOffline(attempt) == isHeld)
  }

  @Test(arguments: [
    "http://localhost/", "http://a.localhost/", "http://127.0.0.1:8080/", "http://127.9.9.9/", "http://[::1]/",
  ])
  func `a request to this machine is not held`(url: String) async throws {
    let attempt = try attempt(url, .get, .connectionFailed)
    #expect(await !isHeldWhileOffline(attempt))
  }

  @Test func `a network that comes and goes does not hold a request for ever`() async throws {
    var attempt = try attempt("https://example.com/", .get, .networkUnreachable)
    attempt.number = 10
    #expect(await !isHeldWhileOffline(attempt))
  }

  /// Whether the retrier waits for the network before its decision.
  ///
  /// A wait on `ImmediateClock` takes no time, but advances the clock.
  private func isHeldWhileOffline(_ attempt: AttemptOutcome) async -> Bool {
    let clock = ImmediateClock()
    var attempt = attempt
    attempt.clock = clock
    guard case .doNotRetry = await OfflineRetrier(source: path).decision(for: attempt) else { return true }
    return clock.now.offset == .seconds(5)
  }

  private func attempt(
    _ url: String, _ method: HTTPRequest.Method, _ kind: LupineError.Kind
  ) throws -> AttemptOutcome {
    AttemptOutcome(
      request: try OutgoingRequest(url, method: method), number: 1, response: nil,
      error: LupineError(kind, "It failed."))
  }

  private func session(_ retriers: any Retrier...) throws -> Session {
    var builder = Session.Builder().transport(mock).clock(clock)
    for retrier in retriers { builder = builder.retrier(retrier) }
    return try builder.build()
  }

  private func failOnce(_ kind: LupineError.Kind) {
    mock.stub(.get, "https://example.com/", .sequence([.failure(kind), .text("back")]))
  }

  private func failAlways(_ kind: LupineError.Kind) { mock.stub(.get, "https://example.com/", .failure(kind)) }
}
