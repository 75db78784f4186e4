import LupineCore
import LupineMock
import LupineSession
import Testing

/// The work that the action of a timer starts belongs to the simulation.
@Suite struct TimerValuesTests {
  @Test(arguments: 0..<10 as Range<UInt64>)
  func `blocking work of a timer runs in the simulation`(seed: UInt64) async throws {
    try await withSimulation(seed: seed) { world in
      let (lines, line) = AsyncStream.makeStream(of: String.self)
      let timer = world.clock.schedule(at: world.clock.now.advanced(by: .seconds(1))) {
        line.yield("timer in \(Simulation.current?.seed ?? .max)")
        BlockingWork.start {
          line.yield("work in \(Simulation.current?.seed ?? .max)")
          line.finish()
        }
      }
      let collected = await lines.reduce(into: []) { $0.append($1) }
      timer.cancel()
      try world.expect(collected == ["timer in \(seed)", "work in \(seed)"], "\(collected)")
      // The time did not advance while the work was under way.
      try world.expect(world.clock.now.offset == .seconds(1), "\(world.clock.now.offset)")
    }
  }
}
