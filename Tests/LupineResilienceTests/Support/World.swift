import LupineCore
import LupineSession
import LupineMock

/// The environment of a simulated program: one mock, and the records of its exchanges.
struct World {
  static let url = "https://a.example.com/"

  let mock = MockTransport()
  let transport: CountingTransport
  let exchanges = ExchangeLogMonitor()

  init(_ simulation: Simulation) {
    transport = CountingTransport(mock, now: { simulation.clock.now.offset })
  }

  func session(_ change: (Session.Builder) -> Session.Builder) throws -> Session {
    try change(Session.Builder().transport(transport).monitor(exchanges)).build()
  }

  /// The reasons for the decisions of policies, in the order of the requests.
  var policies: [String] {
    exchanges.logs.flatMap(\.decisions).filter { $0.kind == .policy }.map(\.text)
  }
}
