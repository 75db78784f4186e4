import LupineMock
public import Testing

/// Runs each test in a simulation, `Simulation.current`; see `withSimulation(seed:)`.
public struct SimulationTrait: TestTrait, SuiteTrait, TestScoping {
  /// The seed that determines the order of events.
  public let seed: UInt64

  /// Whether the tests of a suite inherit the trait: true.
  public var isRecursive: Bool { true }

  /// Runs a test in its own simulation.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    try await withoutActuallyEscaping(function) { function in
      try await withSimulation(seed: seed) { try await function() }
    }
  }
}

extension Trait where Self == SimulationTrait {
  /// A simulation in virtual time; the seed determines the order of events and the random values.
  public static func simulated(seed: UInt64 = 0) -> SimulationTrait { SimulationTrait(seed: seed) }
}
