import LupineCore
import LupineMock
import LupineSession
import Testing

@testable import LupineObservability

/// The state of an indicator of network activity, in virtual time.
@Suite struct NetworkActivityTests {
  /// A step of a script; the requests are those of the session 0, unless the step names another.
  enum Step: Sendable {
    case start(UInt64, session: Int = 0)
    case finish(UInt64, session: Int = 0)
    case suspend(UInt64, session: Int = 0)
    case resume(UInt64, session: Int = 0)
    case release(session: Int)
    case wait(Duration)
  }

  /// An activity that two sessions share, and their clock.
  private final class Script {
    let clock = TestClock()
    let activity: NetworkActivity
    private var monitors: [(any EventMonitor)?]

    init(startDelay: Duration = second, completionDelay: Duration = moment) {
      activity = NetworkActivity(startDelay: startDelay, completionDelay: completionDelay)
      monitors = [activity.makeMonitor(clock: clock), activity.makeMonitor(clock: clock)]
    }

    func perform(_ step: Step) throws {
      let summary = try RequestSummary(method: .get, url: HTTPURL("https://example.com/"))
      switch step {
      case .wait(let duration): clock.advance(by: duration)
      case .start(let id, let session): send(.started(summary), id, session)
      case .finish(let id, let session): send(.finished(nil), id, session)
      case .suspend(let id, let session): send(.suspended, id, session)
      case .resume(let id, let session): send(.resumed, id, session)
      case .release(let session): monitors[session] = nil
      }
    }

    private func send(_ kind: SessionEvent.Kind, _ id: UInt64, _ session: Int) {
      monitors[session]?.receive(SessionEvent(request: RequestID(id), attempt: 0, time: .zero, kind: kind))
    }
  }

  private static let (second, moment) = (Duration.seconds(1), Duration.milliseconds(200))
  private static let instant = Duration.nanoseconds(1)

  /// Each script with the states that it passes through after `idle`.
  static let table: [([Step], [NetworkActivity.State])] = [
    ([], []),
    ([.start(1)], [.delayingStart]),
    ([.start(1), .wait(second - instant)], [.delayingStart]),
    ([.start(1), .wait(second)], [.delayingStart, .active]),
    // A short request is never shown.
    ([.start(1), .wait(moment), .finish(1), .wait(second)], [.delayingStart, .idle]),
    // The start delay counts from the first of several requests.
    ([.start(1), .wait(moment), .start(2), .finish(1), .wait(second - moment)], [.delayingStart, .active]),
    ([.start(1), .wait(second), .finish(1)], [.delayingStart, .active, .delayingCompletion]),
    ([.start(1), .wait(second), .finish(1), .wait(moment - instant)], [.delayingStart, .active, .delayingCompletion]),
    ([.start(1), .wait(second), .finish(1), .wait(moment)], [.delayingStart, .active, .delayingCompletion, .idle]),
    // A further request within the completion delay keeps the activity shown.
    (
      [.start(1), .wait(second), .finish(1), .wait(moment - instant), .start(2), .wait(second)],
      [.delayingStart, .active, .delayingCompletion, .active]
    ),
    (
      [.start(1), .wait(second), .finish(1), .wait(moment - instant), .start(2), .finish(2), .wait(moment)],
      [.delayingStart, .active, .delayingCompletion, .active, .delayingCompletion, .idle]
    ),
    ([.start(1), .start(2), .wait(second), .finish(1), .wait(second)], [.delayingStart, .active]),
    ([.start(1), .wait(second), .suspend(1), .wait(moment)], [.delayingStart, .active, .delayingCompletion, .idle]),
    ([.start(1), .suspend(1), .resume(1), .wait(second)], [.delayingStart, .idle, .delayingStart, .active]),
    // A request that ends while it is suspended does not count twice.
    (
      [.start(1), .suspend(1), .finish(1), .start(2), .wait(second)], [.delayingStart, .idle, .delayingStart, .active]
    ),
    ([.suspend(1), .finish(1), .start(2), .wait(second)], [.delayingStart, .active]),
    ([.suspend(1), .resume(1), .start(1), .wait(second)], [.delayingStart, .active]),
    ([.finish(1), .resume(2)], []),
    // Requests of two sessions have the same identifiers.
    ([.start(1), .start(1, session: 1), .wait(second), .finish(1), .wait(second)], [.delayingStart, .active]),
    ([.start(1), .start(1, session: 1), .suspend(1), .finish(1), .wait(second)], [.delayingStart, .active]),
    ([.start(1), .suspend(1, session: 1), .finish(1, session: 1), .wait(second)], [.delayingStart, .active]),
    // The requests of a released session are over.
    (
      [.start(1), .start(1, session: 1), .wait(second), .finish(1), .release(session: 1), .wait(moment)],
      [.delayingStart, .active, .delayingCompletion, .idle]
    ),
  ]

  @Test(arguments: table.indices)
  func `the states follow the requests and the two delays`(place: Int) async throws {
    let (steps, expected) = Self.table[place]
    let script = Script()
    var states = script.activity.states.makeAsyncIterator()
    for step in steps { try script.perform(step) }
    #expect(script.activity.state == expected.last ?? .idle)
    for state in [.idle] + expected { #expect(await states.next() == state) }
  }

  @Test func `a delay of zero passes at once, and a reader that comes later begins with the current state`()
    async throws
  {
    let script = Script(startDelay: .zero, completionDelay: .zero)
    try script.perform(.start(1))
    #expect(script.activity.state == .active)
    #expect(script.activity.state.isShown)
    var states = script.activity.states.makeAsyncIterator()
    #expect(await states.next() == .active)
    try script.perform(.finish(1))
    #expect(script.activity.state == .idle)
    #expect(await states.next() == .delayingCompletion)
  }

  @Test func `the delays pass on the clock of the session`() async throws {
    try await withSimulation(seed: 1) { world in
      let mock = MockTransport()
      mock.stub(.get, "/", .text("x").delay(.seconds(3)))
      let activity = NetworkActivity()
      let session = try Session.Builder().transport(mock).monitor(activity).build()
      let states = activity.states
      async let answer = session.request("https://example.com/").serializingString().value
      var changes: [(NetworkActivity.State, Duration)] = []
      for await state in states {
        changes.append((state, world.clock.now.offset))
        if changes.count == 5 { break }
      }
      #expect(changes.map(\.0) == [.idle, .delayingStart, .active, .delayingCompletion, .idle])
      let times = [Duration.zero, .zero, .seconds(1), .seconds(3), .milliseconds(3_200)]
      #expect(changes.map(\.1) == times)
      #expect(try await answer == "x")
      await session.shutdown()
    }
  }

  @Test func `a given clock applies, whatever that of the session is`() throws {
    let own = TestClock()
    let activity = NetworkActivity(clock: own)
    let monitor = activity.makeMonitor(clock: ImmediateClock())
    let summary = try RequestSummary(method: .get, url: HTTPURL("https://example.com/"))
    monitor.receive(SessionEvent(request: RequestID(1), attempt: 0, time: .zero, kind: .started(summary)))
    #expect(activity.state == .delayingStart)
    own.advance(by: Self.second)
    #expect(activity.state == .active)
  }

  @Test func `two sessions whose requests have the same identifiers are counted apart`() async throws {
    try await withSimulation(seed: 2) { world in
      let mock = MockTransport()
      mock.stub(.get, "/", .text("x").delay(.seconds(5)))
      let activity = NetworkActivity()
      let sessions = try (0..<2).map { _ in try Session.Builder().transport(mock).monitor(activity).build() }
      let (first, second) = (sessions[0].request("https://example.com/"), sessions[1].request("https://example.com/"))
      #expect(first.id == second.id)
      async let cancelled = first.serializingString().response.error?.kind
      async let answer = second.serializingString().value
      try await world.clock.sleep(for: .seconds(2))
      #expect(activity.requestCount == 2)
      first.suspend()
      #expect(activity.requestCount == 1)
      first.cancel()
      #expect(await cancelled == .cancelled)
      // The other request with this identifier is still under way.
      #expect(activity.requestCount == 1)
      #expect(activity.state == .active)
      #expect(try await answer == "x")
      #expect(activity.requestCount == 0)
      for session in sessions { await session.shutdown() }
    }
  }

  @Test func `a reader that never reads delays no request`() async throws {
    try await withSimulation(seed: 3) { world in
      let mock = MockTransport()
      mock.stub(.get, "/", .text("x").delay(.milliseconds(10)))
      let activity = NetworkActivity(startDelay: .zero, completionDelay: .zero)
      let session = try Session.Builder().transport(mock).monitor(activity).build()
      let states = activity.states
      // Each request makes four changes, many more than the sequence keeps.
      for _ in 0..<50 { _ = try await session.request("https://example.com/").serializingString().value }
      #expect(world.clock.now.offset == .milliseconds(500))
      try await world.clock.sleep(for: .seconds(1))
      #expect(activity.state == .idle)
      withExtendedLifetime(states) {}
      await session.shutdown()
    }
  }

  @Test func `the requests of several sessions count together, and failures and retries end as well`() async throws {
    let clock = ImmediateClock()
    let activity = NetworkActivity(startDelay: .zero)
    let mock = MockTransport()
    mock.stub(.get, "/good", .text("x"))
    mock.stub(.get, "/bad", .fault(.resetBeforeHead))
    for path in ["good", "bad", "good"] {
      let session = try Session.Builder().transport(mock).clock(clock).monitor(activity).retrier(.backoff(limit: 2))
        .build()
      _ = await session.request("https://example.com/\(path)").serializingData().response
      let cancelled = session.request("https://example.com/good")
      cancelled.suspend()
      cancelled.cancel()
      _ = await cancelled.serializingData().response
    }
    #expect(activity.requestCount == 0)
    #expect(!activity.state.isShown || activity.state == .delayingCompletion)
  }

  @Test func `a reader that is late gets the newest 64 states`() async throws {
    var script: Script? = Script()
    let states = script?.activity.states
    for number: UInt64 in 1...100 {
      try script?.perform(.start(number))
      try script?.perform(.finish(number))
    }
    script = nil
    var seen: [NetworkActivity.State] = []
    if let states { for await state in states { seen.append(state) } }
    #expect(seen.count == 64)
    #expect(seen.last == .idle)
  }

  @Test func `the sequence of states ends when the activity is released`() async {
    var activity: NetworkActivity? = NetworkActivity()
    var states = activity?.states.makeAsyncIterator()
    activity = nil
    #expect(await states?.next() == .idle)
    #expect(await states?.next() == nil)
  }
}
