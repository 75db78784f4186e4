import LupineSupport
import Testing

@Suite struct ProbeCircuitTests {
  @Test func `a failure refuses calls until one probe succeeds`() {
    var circuit = ProbeCircuit(delays: .seconds(1)...(.seconds(3)))
    #expect(circuit.admit(at: .zero) == .normal)
    circuit.fail(at: .zero, isProbe: false)
    // A call that began before has failed as well.
    circuit.fail(at: .milliseconds(500), isProbe: false)
    #expect(circuit.admit(at: .milliseconds(900)) == .refused(.milliseconds(100)))
    #expect(circuit.admit(at: .seconds(1)) == .probe)
    #expect(circuit.admit(at: .seconds(1)) == .refused(.zero))
    circuit.succeed()
    #expect(circuit.admit(at: .seconds(1)) == .normal)
    #expect(!circuit.isOpen)
  }

  @Test func `each failed probe doubles the delay up to the maximum`() {
    var circuit = ProbeCircuit(delays: .seconds(1)...(.seconds(3)))
    circuit.fail(at: .zero, isProbe: false)
    var now = Duration.seconds(1)
    for delay in [Duration.seconds(2), .seconds(3), .seconds(3)] {
      #expect(circuit.admit(at: now) == .probe)
      circuit.fail(at: now, isProbe: true)
      #expect(circuit.admit(at: now) == .refused(delay))
      now += delay
    }
    #expect(circuit.admit(at: now) == .probe)
    circuit.succeed()
    circuit.fail(at: now, isProbe: false)
    #expect(circuit.admit(at: now) == .refused(.seconds(1)))
  }

  @Test func `a cancelled probe leaves the next call to be the probe`() {
    var circuit = ProbeCircuit(delays: .seconds(1)...(.seconds(3)))
    circuit.fail(at: .zero, isProbe: false)
    #expect(circuit.admit(at: .seconds(1)) == .probe)
    circuit.abandonProbe()
    #expect(circuit.admit(at: .seconds(1)) == .probe)
  }
}
