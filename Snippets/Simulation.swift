// A program's own code under faults and in virtual time.

import Lupine
import LupineMock

/// A program's own code: it keeps a balance on a server.
struct Account: Sendable {
  let session: Session

  func add(_ amount: Int) async throws {
    _ = try await session.request("https://bank.example.com/add", method: .post, parameters: ["amount": amount])
      .validate().serializingData().value
  }
}

let report = try await withSimulation(seed: 7) { world in
  let mock = MockTransport()
  mock.stub(.get, "/slow", .text("done").latency(.exponential(mean: .seconds(60))))
  let session = try Session.Builder().transport(mock).build()  // takes the world's clock and randomness
  let text = try await session.request("https://example.com/slow").serializingString().value
  return "\(text) at \(world.clock.now.offset)"  // at once, and the same every time
}

do {
  try await Simulation.explore(seeds: 0..<1_000) { world in
    let mock = MockTransport()
    mock.stub(.post, "/add", .text("added"))
    let account = Account(session: try Session.Builder().transport(mock).build())
    try await account.add(10)  // does not expect that anything can fail
  }
} catch let failure as SimulationFailure {
  print(failure)
}
// snippet.hide
print(report)
