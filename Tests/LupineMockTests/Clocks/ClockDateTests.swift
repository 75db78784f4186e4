import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineSession
import LupineMock
import Testing

@Suite struct ClockDateTests {
  private static let date = Date(timeIntervalSince1970: 1_900_000_000)

  private static func builder() -> Session.Builder { Session.Builder().transport(MockTransport()) }

  @Test func `the date moves with the clock`() async throws {
    let (test, immediate) = (TestClock(date: Self.date), ImmediateClock(date: Self.date))
    test.advance(by: .milliseconds(1_500))
    try await immediate.sleep(for: .seconds(3_600))
    #expect(test.date == Self.date.addingTimeInterval(1.5))
    #expect(immediate.date == Self.date.addingTimeInterval(3_600))
    #expect(TestClock().date == ImmediateClock().date)
  }

  @Test func `a session takes its date from such a clock, unless the builder names another source`() async throws {
    let clock = TestClock(date: Self.date)
    let session = try Self.builder().clock(clock).build()
    clock.advance(by: .seconds(60))
    #expect(session.currentDate == Self.date.addingTimeInterval(60))

    let other = Date(timeIntervalSince1970: 0)
    #expect(try Self.builder().clock(clock).now { other }.build().currentDate == other)
    #expect(try Self.builder().now { other }.clock(clock).build().currentDate == other)
  }

  @Test func `a simulation's clock has the simulation's date`() async throws {
    try await withSimulation { world in
      try await world.sleep(for: .seconds(100))
      #expect(world.clock.date == Date(timeIntervalSinceReferenceDate: 100))
      #expect(try Self.builder().build().currentDate == world.date)
      #expect(try Self.builder().clock(TestClock(date: Self.date)).build().currentDate == Self.date)
    }
  }

  @Test func `a date to retry after is waited for on the clock`() async throws {
    let clock = ImmediateClock()
    let mock = MockTransport()
    let busy = MockReply.status(.serviceUnavailable).field(.retryAfter, "Fri, 15 Jan 2027 08:00:20 GMT")
    mock.stub(.get, "/", .sequence([busy, .text("up")]))
    let session = try Session.Builder().transport(mock).clock(clock).retrier(.backoff(limit: 1)).build()
    #expect(try await session.request("https://example.com/").serializingString().value == "up")
    #expect(clock.now.offset >= .seconds(20))
    #expect(clock.now.offset < .seconds(60))
  }
}
