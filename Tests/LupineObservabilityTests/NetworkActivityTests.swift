import LupineCore
import LupineMock
import LupineSession
import Testing

@testable import LupineObservability

/// The state of an indicator of network activity, in virtual time.
@Suite struct NetworkActivityTests {
  /// A step of a script.
  enum Step: Sendable {
    case start(UInt64)
    case finish(UInt64)
    case suspend(UInt64)
    case resume(UInt64)
    case wait(Duration)

    fileprivate func perform(on activity: NetworkActivity, _ clock: TestClock) throws {
      let summary = try RequestSummary(method: .get, url: HTTPURL("https://example.com/"))
      switch self {
      case .wait(let duration): clock.advance(by: duration)
      case .start(let id): activity.receive(Self.event(id, .started(summary)))
      case .finish(let id): activity.receive(Self.event(id, .finished(nil)))
      case .suspend(let id): activity.receive(Self.event(id, .suspended))
      case .resume(let id): activity.receive(Self.event(id, .resumed))
      }
    }

    private static func event(_ id: UInt64, _ kind: SessionEvent.Kind) -> SessionEvent {
      SessionEvent(request: RequestID(id), attempt: 0, time: .zero, kind: kind)
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
    // Requests of two sessions may have the same identifier.
    ([.start(1), .start(1), .wait(second), .finish(1), .wait(second)], [.delayingStart, .active]),
    ([.start(1), .start(1), .suspend(1), .finish(1), .wait(second)], [.delayingStart, .idle]),
    ([.finish(1), .resume(2)], []),
  ]

  @Test(arguments: table.indices)
  func `the states follow the requests and the two delays`(place: Int) async throws {
    let (script, expected) = Self.table[place]
    let clock = TestClock()
    let activity = NetworkActivity(clock: clock)
    var states = activity.states.makeAsyncIterator()
    for step in script { try step.perform(on: activity, clock) }
    #expect(activity.state == expected.last ?? .idle)
    for state in [.idle] + expected { #expect(await states.next() == state) }
  }

  @Test func `a delay of zero passes at once, and a reader that comes later begins with the current state`()
    async throws
  {
    let clock = TestClock()
    let activity = NetworkActivity(startDelay: .zero, completionDelay: .zero, clock: clock)
    try Step.start(1).perform(on: activity, clock)
    #expect(activity.state == .active)
    #expect(activity.state.isShown)
    var states = activity.states.makeAsyncIterator()
    #expect(await states.next() == .active)
    try Step.finish(1).perform(on: activity, clock)
    #expect(activity.state == .idle)
    #expect(await states.next() == .delayingCompletion)
  }

  @Test func `the requests of several sessions count together, and failures and retries end as well`() async throws {
    let clock = ImmediateClock()
    let activity = NetworkActivity(startDelay: .zero, clock: clock)
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
    let clock = TestClock()
    var activity: NetworkActivity? = NetworkActivity(clock: clock)
    let states = activity?.states
    for number: UInt64 in 1...100 {
      for step in [Step.start(number), .finish(number)] { if let activity { try step.perform(on: activity, clock) } }
    }
    activity = nil
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
