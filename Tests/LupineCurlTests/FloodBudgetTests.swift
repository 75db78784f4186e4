import Testing

@testable import LupineCurl

/// The limit on processor time without data, over several calls of libcurl.
@Suite struct FloodBudgetTests {
  private static let call = FloodBudget.limit / 10

  /// Records calls that deliver nothing; returns how many measured ones the budget allowed.
  private static func measuredCalls(_ budget: inout FloodBudget, every interval: UInt64, of maximum: Int) -> Int {
    for _ in 0..<FloodBudget.unmeasuredCalls {
      #expect(!budget.measuresNextCall)
      budget.recordCall()
    }
    for index in 0..<maximum {
      #expect(budget.measuresNextCall)
      if !budget.recordCall(time: call, at: UInt64(index + 1) * interval) { return index }
    }
    return maximum
  }

  @Test func `calls that use the limit within a period end the connection`() {
    var budget = FloodBudget()
    #expect(Self.measuredCalls(&budget, every: 1_000_000, of: 100) == 9)
  }

  @Test func `calls that use less in each period may go on`() {
    var budget = FloodBudget()
    #expect(Self.measuredCalls(&budget, every: FloodBudget.period / 8, of: 1000) == 1000)
  }

  @Test func `data begins the count anew`() {
    var budget = FloodBudget()
    _ = Self.measuredCalls(&budget, every: 1, of: 9)
    budget.recordDelivery()
    #expect(Self.measuredCalls(&budget, every: 1_000_000, of: 100) == 9)
  }
}
