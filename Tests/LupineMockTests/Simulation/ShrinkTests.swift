import HTTPTypes
import LupineCore
import LupineResilience
import LupineSession
import LupineMock
import Synchronization
import Testing

@Suite struct ShrinkTests {
  private enum BankError: Error, Equatable {
    case declined(Int)
    case moneyMade
  }

  /// A fault for every exchange, and no delays.
  private static let always = FaultMix {
    $0.faultRate = 1
    $0.delayRate = 0
    $0.faults = [.connectionRefused]
  }

  /// Makes `count` requests one after another, and returns the numbers of the failed ones, from 1.
  private static func failures(of count: Int) async throws -> [Int] {
    let mock = MockTransport()
    mock.stub(.get, "/", count: .optional, .text("fine"))
    let session = try Session.Builder().transport(mock).build()
    var failed: [Int] = []
    for number in 1...count {
      let response = await session.request("https://example.com/").serializingData().response
      if response.error != nil { failed.append(number) }
    }
    return failed
  }

  private static func explore(
    shrinkLimit: Int = 1_000, stepLimit: Int = Simulation.defaultStepLimit,
    _ body: @escaping @Sendable (Simulation) async throws -> Void
  ) async throws -> SimulationFailure {
    let failure = await #expect(throws: SimulationFailure.self) {
      try await Simulation.explore(seeds: [0], mix: always, shrinkLimit: shrinkLimit, stepLimit: stepLimit, body)
    }
    return try #require(failure)
  }

  @Test func `the report of a search that stopped at its limit states that`() async throws {
    let found = try await Self.explore(shrinkLimit: 2) { world in
      let failed = try await Self.failures(of: 8)
      try world.expect(!failed.contains(2), "the second failed")
    }
    #expect(!found.isFewest)
    #expect(found.description.contains("the search stopped after 2 runs with 8 left, of which some may not be needed:"))
    #expect(!found.description.contains("enough"))
  }

  @Test func `the report of a search that ended has the number of runs`() async throws {
    let found = try await Self.explore { world in
      try world.expect(try await Self.failures(of: 1).isEmpty, "it failed")
    }
    #expect(found.isFewest)
    #expect(found.description.contains("1 fault was injected; 1 is enough (found in 1 run):"))
  }

  @Test func `a failure at another line is another bug`() async throws {
    let found = try await Self.explore { world in
      let failed = try await Self.failures(of: 4)
      try world.expect(!failed.contains(3), "the third failed")
      try world.expect(false, "fails whatever happens")
    }
    #expect(found.faults.map(\.exchange) == [3])
    #expect("\(found.failure)".contains("the third failed"))
  }

  @Test func `two expectations with one message are two bugs, though they share a line`() async throws {
    let found = try await Self.explore { world in
      let failed = try await Self.failures(of: 4)
      _ = try (world.expect(!failed.contains(3), "it is wrong"), world.expect(false, "it is wrong"))
    }
    #expect(found.faults.map(\.exchange) == [3])
  }

  @Test func `one expectation is one failure, whatever number its message has`() async throws {
    let found = try await Self.explore { world in
      let failed = try await Self.failures(of: 4)
      try world.expect(failed.isEmpty, "\(failed.count) failed")
    }
    #expect(found.faults.count == 1)
    #expect("\(found.failure)" == "1 failed")
    #expect("\(found.firstFailure)" == "4 failed")
  }

  @Test func `an error of another kind or case is another bug`() async throws {
    let byKind = try await Self.explore { _ in
      let failed = try await Self.failures(of: 4)
      throw LupineError(failed.contains(1) ? .circuitOpen : .rateLimited, "no")
    }
    #expect(byKind.faults.map(\.exchange) == [1])
    let byCase = try await Self.explore { _ in
      let failed = try await Self.failures(of: 4)
      throw failed.contains(4) ? BankError.declined(failed.count) : .moneyMade
    }
    #expect(byCase.faults.map(\.exchange) == [4])
    #expect(byCase.failure as? BankError == .declined(1))
    #expect(byCase.firstFailure as? BankError == .declined(4))
    #expect(byCase.description.contains("With all faults it threw: declined(4)"))
  }

  @Test func `nothing is tried twice`() async throws {
    let lists = Mutex<[[Int]]>([])
    let found = try await Self.explore { world in
      let failed = try await Self.failures(of: 8)
      lists.withLock { $0.append(failed) }
      try world.expect(!failed.contains(2), "the second failed")
    }
    let tried = lists.withLock { $0 }
    #expect(tried.count == found.runs + 1)
    #expect(Set(tried).count == tried.count)
    #expect(found.faults.map(\.exchange) == [2])
  }

  @Test func `the printed call names a step limit of one's own`() async throws {
    let found = try await Self.explore(stepLimit: 1_500) { world in
      while true { try await world.sleep(for: .seconds(1)) }
    }
    #expect((found.failure as? LupineError)?.kind == .simulationStuck)
    #expect(found.description.contains("withSimulation(seed: 0, stepLimit: 1_500) { world in … }"))
  }
}
