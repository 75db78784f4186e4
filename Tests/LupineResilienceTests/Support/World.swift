import LupineCore
import LupineSession
import LupineMock

/// What a simulated program does against one mock.
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

  /// The reasons that policies gave, in the order of the requests.
  var policies: [String] {
    exchanges.logs.flatMap(\.decisions).filter { $0.kind == .policy }.map(\.text)
  }
}
