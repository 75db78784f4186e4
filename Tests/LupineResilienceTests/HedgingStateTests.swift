import LupineCore
import LupineSession
import Testing

@testable import LupineResilience

@Suite struct HedgingStateTests {
  /// Calls `body` with the state of a request whose first exchange is under way, and returns the outcome.
  private static func run(
    budget: RetryBudget = RetryBudget(), _ body: (inout HedgingState) -> HedgingState.Delivery?
  ) async throws -> HedgingState.Outcome {
    let url = try HTTPURL("https://a.example.com/")
    return await withCheckedContinuation { continuation in
      var state = HedgingState(hedges: 2, budget: budget, url: url)
      state.continuation = continuation
      let first = state.begin(ExchangeControl(), after: nil)
      #expect(first == 0)
      guard let deliver = body(&state) else {
        Issue.record("The outcome was not delivered.")
        return continuation.resume(returning: failed)
      }
      deliver()
    }
  }

  private static let failed = HedgingState.Outcome.failure(LupineError(.connectionLost, "The connection was lost."))

  private static func delivery(_ action: HedgingState.Action) -> HedgingState.Delivery? {
    if case .deliver(let deliver) = action { deliver } else { nil }
  }

  private static func beginsAnother(_ action: HedgingState.Action) -> Bool {
    if case .beginReserved = action { true } else { false }
  }

  @Test func `a timer and a failure that ask for the same try take none of those that the limit grants`() async throws {
    let budget = RetryBudget(capacity: 10, refund: 0)
    _ = try await Self.run(budget: budget) { state in
      let isPromised = state.reserve(after: 0)
      #expect(isPromised == true)
      let first = state.end(0, Self.failed)
      #expect(Self.beginsAnother(first))
      let winner = state.begin(ExchangeControl(), after: 0)
      let loser = state.begin(ExchangeControl(), after: 0)
      #expect(winner == 1 && loser == nil)
      let second = state.end(1, Self.failed)
      #expect(Self.beginsAnother(second))
      // `settle()` delivers nothing after the lost race, because the third exchange is already reserved.
      let isOver = state.settle() != nil
      #expect(!isOver)
      let last = state.begin(ExchangeControl(), after: 1)
      #expect(last == 2)
      return Self.delivery(state.end(2, Self.failed))
    }
    #expect(budget.remaining(for: try HTTPURL("https://a.example.com/")) == 8)
  }

  @Test(arguments: ["a good answer", "a refusal", "a cancellation"])
  func `the budget of a hedge that is not made is returned`(what: String) async throws {
    let budget = RetryBudget(capacity: 1, refund: 0)
    let url = try HTTPURL("https://a.example.com/")
    _ = try await Self.run(budget: budget) { state in
      _ = state.reserve(after: 0)
      #expect(budget.remaining(for: url) == 0)
      switch what {
      case "a good answer": _ = state.claim(0, true)
      case "a refusal": state.stopBeginning()
      default: _ = state.cancel()
      }
      #expect(budget.remaining(for: url) == 1)
      return Self.delivery(state.end(0, Self.failed))
    }
    #expect(budget.remaining(for: url) == 1)
  }

  @Test func `a cancellation between a failure and the try that follows ends the request`() async throws {
    let outcome = try await Self.run { state in
      let action = state.end(0, Self.failed)
      #expect(Self.beginsAnother(action))
      _ = state.cancel()
      let next = state.begin(ExchangeControl(), after: 0)
      #expect(next == nil)
      return state.settle()
    }
    #expect(throws: LupineError.self) { try outcome.get() }
  }
}
