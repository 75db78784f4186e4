import LupineCore
import Testing

@testable import LupineResilience

@Suite struct CircuitTests {
  private static let configuration = CircuitBreaker.Configuration { $0.minimumThroughput = 2 }

  private static func pass(_ circuit: inout Circuit, _ now: Duration = .zero) throws -> Circuit.Pass {
    guard case .pass(let pass) = circuit.admit(now: now) else { throw Refused() }
    return pass
  }

  private static func open() throws -> Circuit {
    var circuit = Circuit(configuration)
    for _ in 0..<2 {
      let pass = try pass(&circuit)
      _ = circuit.record(false, pass, now: .zero)
    }
    return circuit
  }

  @Test func `one probe at a time is let through`() throws {
    var circuit = try Self.open()
    let probe = try Self.pass(&circuit, .seconds(5))
    #expect(probe.isProbe)
    #expect(throws: Refused.self) { _ = try Self.pass(&circuit, .seconds(60)) }
  }

  @Test func `a probe that was cancelled makes way for another`() throws {
    var circuit = try Self.open()
    let probe = try Self.pass(&circuit, .seconds(5))
    _ = circuit.record(nil, probe, now: .seconds(6))
    let next = try Self.pass(&circuit, .seconds(6))
    #expect(next.isProbe)
  }

  @Test func `exchanges that began before the circuit opened neither close nor open it`() throws {
    var circuit = Circuit(Self.configuration)
    let early = try Self.pass(&circuit)
    for _ in 0..<2 {
      let pass = try Self.pass(&circuit)
      _ = circuit.record(false, pass, now: .zero)
    }
    #expect(!circuit.isClosed)
    _ = circuit.record(true, early, now: .seconds(1))
    #expect(!circuit.isClosed)
    let probe = try Self.pass(&circuit, .seconds(5))
    _ = circuit.record(true, probe, now: .seconds(5))
    #expect(circuit.isClosed)
    for _ in 0..<5 { _ = circuit.record(false, early, now: .seconds(6)) }
    #expect(circuit.isClosed)
  }

  private struct Refused: Error {}
}
