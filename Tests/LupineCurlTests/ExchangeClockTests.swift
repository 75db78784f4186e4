import LupineCore
import Testing

@testable import LupineCurl

@Suite struct ExchangeClockTests {
  /// The rest of a connect timeout for an exchange that started `seconds` ago.
  private static func rest(of timeout: Duration, startedAgo seconds: UInt64) -> Duration {
    let now: UInt64 = 1_000_000_000_000
    var clock = ExchangeClock(at: 0)
    clock.start(turn: now - seconds * 1_000_000_000, at: now)
    return clock.remaining(of: timeout, at: now)
  }

  @Test func `the next address has the rest of the connect timeout`() {
    #expect(Self.rest(of: .seconds(80), startedAgo: 20) == .seconds(60))
  }

  @Test func `nothing is left once the time to connect is over`() {
    #expect(Self.rest(of: .seconds(30), startedAgo: 31) < .zero)
  }

  @Test func `all of it is left before the transfer begins`() {
    #expect(ExchangeClock(at: 0).remaining(of: .seconds(30), at: 5_000_000_000) == .seconds(30))
  }
}
