import LupineMock
public import Testing

/// Reports the issues of a test's simulations with the seed and the faults that cause them.
///
/// An unmet `#expect` or `#require` inside `Simulation.explore` ends the exploration as `Simulation.expect` does: the test
/// fails with one `SimulationFailure`, which has the seed, the fewest faults and the call that reproduces it. Inside
/// `withSimulation` the issue is reported at its line, with the seed and the faults in a comment.
public struct ExplorationTrait: TestTrait, SuiteTrait, TestScoping {
  /// Whether the tests of a suite inherit the trait: true.
  public var isRecursive: Bool { true }

  /// Runs a test, and handles the issues that it records inside a simulation.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    try await IssueHandlingTrait.compactMapIssues { issue in
      guard let world = Simulation.current, issue.isFailure else { return issue }
      return Self.handle(issue, in: world)
    }.provideScope(for: test, testCase: testCase, performing: function)
  }

  /// Returns the issue to report; `nil` if the exploration reports it.
  private static func handle(_ issue: Issue, in world: Simulation) -> Issue? {
    if world.isExploring {
      let place = issue.sourceLocation
      world.recordFailure(
        "\(issue)", fileID: place?.fileID ?? "", line: UInt(clamping: place?.line ?? 0),
        column: UInt(clamping: place?.column ?? 0))
      return nil
    }
    var issue = issue
    let faults = world.injectedFaults.map(\.description).joined(separator: ", ")
    issue.comments.append("In the simulation with seed \(world.seed), faults: [\(faults)].")
    return issue
  }
}

extension Trait where Self == ExplorationTrait {
  /// Reports the issues of the test's simulations with their seed and faults; see `ExplorationTrait`.
  public static var exploring: ExplorationTrait { ExplorationTrait() }
}
