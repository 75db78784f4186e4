import LupineCore
import Testing

@testable import LupineCurl

@Suite struct ExchangeClockTests {
  /// The clock of an exchange that began so many seconds ago.
  private static func clock(startedAgo seconds: UInt64) -> ExchangeClock {
    var clock = ExchangeClock()
    clock.start(turn: Moment.now - seconds * 1_000_000_000)
    return clock
  }

  @Test func `another address has what is left of the time to connect`() {
    let rest = Self.clock(startedAgo: 20).rest(of: .seconds(80))
    #expect(rest <= .seconds(60))
    #expect(rest > .seconds(30))
  }

  @Test func `nothing is left once the time to connect is over`() {
    #expect(Self.clock(startedAgo: 31).rest(of: .seconds(30)) < .zero)
  }

  @Test func `all of it is left before the transfer begins`() {
    #expect(ExchangeClock().rest(of: .seconds(30)) == .seconds(30))
  }
}
