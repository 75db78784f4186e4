import LupineMock
public import Testing

/// Runs each test in a simulation, `Simulation.current`; see `withSimulation(seed:)`.
public struct SimulationTrait: TestTrait, SuiteTrait, TestScoping {
  /// What determines the course of events.
  public let seed: UInt64

  /// A suite's tests have the trait, too.
  public var isRecursive: Bool { true }

  /// Runs a test in a world of its own.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    try await withoutActuallyEscaping(function) { function in
      try await withSimulation(seed: seed) { try await function() }
    }
  }
}

extension Trait where Self == SimulationTrait {
  /// A world in virtual time whose order of events and whose chance the seed determines.
  public static func simulated(seed: UInt64 = 0) -> SimulationTrait { SimulationTrait(seed: seed) }
}
