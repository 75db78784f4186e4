@testable import LupineCore
@testable import LupineSession
import Testing

@Suite struct TimedRequestTests {
  private func reason(
    total: Duration? = nil, deadline: Duration? = nil, at now: Duration, idle: Duration? = .seconds(60)
  ) -> String? {
    let timed = TimedRequest(
      started: .seconds(10), deadline: deadline, attempt: nil, exchange: nil, changedTimeouts: nil)
    return timed.reasonToEnd(Timeouts(idle: idle, total: total), now: now)?.message
  }

  @Test func `a request ends at the earlier of its total timeout and its deadline`() {
    #expect(reason(total: .seconds(5), at: .milliseconds(14_999)) == nil)
    #expect(reason(total: .seconds(5), at: .seconds(15))?.contains("its total timeout of 5000") == true)
    #expect(reason(total: .seconds(5), deadline: .seconds(12), at: .seconds(12)) == "The request's deadline passed.")
    #expect(reason(total: .seconds(2), deadline: .seconds(20), at: .seconds(12))?.contains("total timeout") == true)
    #expect(reason(deadline: .seconds(12), at: .seconds(11)) == nil)
    #expect(reason(at: .seconds(1_000_000)) == nil)
  }

  @Test func `no time at the beginning is said so`() {
    #expect(reason(deadline: .seconds(9), at: .seconds(10)) == "The request's deadline had passed before it began.")
    #expect(reason(total: .zero, at: .seconds(10))?.hasPrefix("No time was left to the request when it began") == true)
  }

  @Test func `invalid timeouts end a request that is in time`() {
    #expect(reason(at: .seconds(11), idle: .seconds(-1))?.hasPrefix("The request's timeouts are invalid: ") == true)
  }
}
