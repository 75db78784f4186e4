import HTTPTypes
import LupineCore
import LupineSession
import LupineMock
import Testing

@Suite struct FaultMixTests {
  @Test(
    arguments: [
      ("http://example.com/", nil, []), ("https://example.com/", nil, [".goAway", ".tlsRefused"]),
      ("https://example.com/", .http1_1, [".tlsRefused"]), ("http://example.com/", .http2, [".goAway"]),
    ] as [(String, ProtocolVersion?, Set<String>)])
  func `only faults that the request can have are drawn`(
    url: String, version: ProtocolVersion?, possible: Set<String>
  ) async throws {
    let mix = FaultMix {
      $0.faultRate = 1
      $0.delayRate = 0
      $0.faults = [.tlsRefused, .goAway]
    }
    var drawn: Set<String> = []
    for seed in UInt64(0)..<20 {
      do {
        try await Simulation.explore(seeds: [seed], mix: mix, shrinkLimit: 0) { world in
          let mock = MockTransport()
          mock.stub(.get, "/", count: .optional, .text("fine"))
          var builder = Session.Builder().transport(mock)
          if let version { builder = builder.httpVersion(version) }
          _ = try await builder.build().request(url).serializingData().value
        }
      } catch let failure as SimulationFailure {
        for fault in failure.allFaults {
          guard case .fault(let fault) = fault.action else { continue }
          drawn.insert("\(fault)")
        }
      }
    }
    #expect(drawn == possible)
  }
}
