import LupineCore
import Testing

@testable import LupineCurl

@Suite struct ExchangeClockTests {
  /// The clock of an exchange that began so many seconds ago.
  private static func clock(startedAgo seconds: UInt64) -> ExchangeClock {
    var clock = ExchangeClock()
    clock.start(at: Moment.now - seconds * 1_000_000_000)
    return clock
  }

  @Test func `another address has what is left of the time to connect`() throws {
    let clock = Self.clock(startedAgo: 20)
    let rest = try #require(clock.rest(of: .seconds(80)) ?? nil)
    #expect(rest <= .seconds(60))
    #expect(rest > .seconds(30))
  }

  @Test func `no other address is tried where the time to connect is over`() {
    #expect(Self.clock(startedAgo: 31).rest(of: .seconds(30)) == .none)
  }

  @Test func `without a limit there is none for another address`() {
    #expect(Self.clock(startedAgo: 31).rest(of: nil) == .some(.none))
  }
}
