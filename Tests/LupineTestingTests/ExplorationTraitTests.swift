import HTTPTypes
import LupineCore
import LupineMock
import LupineSession
import LupineTesting
import Synchronization
import Testing

@Suite struct ExplorationTraitTests {
  private static func value(in world: Simulation) async throws -> Result<String, LupineError> {
    let mock = MockTransport()
    mock.stub(.get, "/", .text("value"))
    let session = try Session.Builder().transport(mock).build()
    return await session.request("https://example.com/").serializingString().result
  }

  /// Explores until the body fails, and returns the failure.
  private static func failure(_ body: @escaping @Sendable (Simulation) async throws -> Void) async throws
    -> SimulationFailure
  {
    do {
      try await Simulation.explore(seeds: 0..<500, body)
    } catch let failure as SimulationFailure {
      return failure
    }
    throw LupineError(.other, "No seed failed.")
  }

  @Test(.exploring) func `an unmet expectation ends an exploration with its seed and the fewest faults`() async throws {
    let line = #line + 3
    let found = try await Self.failure { world in
      let value = try? await Self.value(in: world).get()
      #expect(value == "value")
    }
    #expect(found.faults.count == 1)
    #expect(found.isFewest)
    #expect(found.description.contains("under seed \(found.seed)"))
    #expect(found.description.contains("Expectation failed"))
    #expect(found.description.contains("withSimulation(seed: \(found.seed), faults: [.init("))
    let unmet = (found.failure as? LupineError)?.underlying.map { "\($0)" }
    #expect(unmet == "the expectation at LupineTestingTests/ExplorationTraitTests.swift:\(line) was not met")
  }

  @Test(.exploring) func `an unmet requirement is the failure, and not the error that it throws`() async throws {
    let found = try await Self.failure { world in _ = try #require(try? await Self.value(in: world).get()) }
    #expect(found.failure is LupineError)
    #expect(found.faults.count == 1)
  }

  @Test(.exploring) func `two expectations are two failures`() async throws {
    let found = try await Self.failure { world in
      #expect(world.seed < 3)
      let value = try? await Self.value(in: world).get()
      #expect(value == "value" || world.seed < 3)
    }
    #expect(found.seed == 3)
    #expect(found.faults.isEmpty)
  }

  @Test(.exploring) func `known issues and met expectations fail no seed`() async throws {
    let count = try await Simulation.explore(seeds: 0..<3) { world in
      #expect(world.isExploring)
      withKnownIssue { #expect(world.seed > 9) }
    }
    #expect(count == 3)
  }

  @Test func `an issue in a simulation is reported at its line with the seed and the faults`() async throws {
    let test = try #require(Test.current)
    let issues = Mutex<[Issue]>([])
    let line = #line + 6
    let collecting = IssueHandlingTrait.compactMapIssues { issue in
      issues.withLock { $0.append(issue) }
      return nil
    }
    let body: @Sendable @concurrent () async throws -> Void = {
      try await withSimulation(seed: 7, faults: [.init(exchange: 1, .fault(.connectionRefused))]) { world in
        let value = try? await Self.value(in: world).get()
        #expect(value == "value")
      }
    }
    try await collecting.provideScope(for: test, testCase: nil) {
      try await ExplorationTrait.exploring.provideScope(for: test, testCase: nil, performing: body)
    }
    let issue = try #require(issues.withLock { $0.count == 1 ? $0.first : nil })
    #expect(issue.sourceLocation?.line == line + 2)
    #expect(
      issue.comments.map(\.rawValue)
        == ["In the simulation with seed 7, faults: [.init(exchange: 1, .fault(.connectionRefused))]."])
  }
}
