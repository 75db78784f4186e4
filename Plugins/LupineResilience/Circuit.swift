import LupineSupport

/// The state of a circuit breaker for one server.
struct Circuit: Sendable {
  /// The admission of one exchange.
  struct Pass: Sendable {
    /// The period of the circuit in which the exchange was admitted; a result from another period is ignored.
    let period: Int
    let isProbe: Bool
  }

  enum Admission: Sendable {
    case pass(Pass)
    case refuse(rest: Duration)
  }

  enum Change: Sendable {
    case opened(for: Duration, failures: Int, of: Int)
    case closed
  }

  /// The results of one tenth of the window.
  private struct Slice {
    let start: Duration
    var failures = 0
    var total = 0
  }

  private let configuration: CircuitBreaker.Configuration
  private let window: Duration
  private let sliceLength: Duration
  /// Opens and closes the circuit, and admits the probes.
  private var probeCircuit: ProbeCircuit
  private var period = 0
  private var slices: [Slice] = []

  init(_ configuration: CircuitBreaker.Configuration) {
    self.configuration = configuration
    window = configuration.window.bounded
    sliceLength = window / 10
    let longest = max(.zero, configuration.maximumBreakDuration.bounded)
    probeCircuit = ProbeCircuit(delays: min(max(.zero, configuration.breakDuration.bounded), longest)...longest)
  }

  var isClosed: Bool { !probeCircuit.isOpen }

  /// The admission to a closed circuit; `nil` if the circuit is not closed.
  var passIfClosed: Pass? { isClosed ? Pass(period: period, isProbe: false) : nil }

  mutating func admit(now: Duration) -> Admission {
    switch probeCircuit.admit(at: now) {
    case .normal: .pass(Pass(period: period, isProbe: false))
    case .probe: .pass(Pass(period: period, isProbe: true))
    case .refused(let rest): .refuse(rest: rest)
    }
  }

  /// Records the result of an exchange; `nil` if it has no meaning for the circuit.
  mutating func record(_ isSuccess: Bool?, _ pass: Pass, now: Duration) -> Change? {
    guard pass.period == period else { return nil }
    if pass.isProbe { return endProbe(isSuccess, now: now) }
    guard isClosed, let isSuccess else { return nil }
    count(isSuccess, now: now)
    let (failures, total) = slices.reduce((0, 0)) { ($0.0 + $1.failures, $0.1 + $1.total) }
    guard failures > 0, total >= configuration.minimumThroughput,
      Double(failures) >= configuration.failureRatio * Double(total)
    else { return nil }
    probeCircuit.fail(at: now, isProbe: false)
    beginPeriod()
    return .opened(for: probeCircuit.delay, failures: failures, of: total)
  }

  private mutating func endProbe(_ isSuccess: Bool?, now: Duration) -> Change? {
    guard let isSuccess else {
      // A cancelled probe has no result, so the next exchange is a probe.
      probeCircuit.abandonProbe()
      return nil
    }
    beginPeriod()
    if isSuccess {
      probeCircuit.succeed()
      return .closed
    }
    probeCircuit.fail(at: now, isProbe: true)
    return .opened(for: probeCircuit.delay, failures: 1, of: 1)
  }

  /// Ignores the results of exchanges that were admitted before.
  private mutating func beginPeriod() {
    period += 1
    slices = []
  }

  private mutating func count(_ isSuccess: Bool, now: Duration) {
    let past = now - window
    if let oldest = slices.first, oldest.start <= past { slices.removeAll { $0.start <= past } }
    if slices.last.map({ now - $0.start >= sliceLength }) ?? true { slices.append(Slice(start: now)) }
    slices[slices.count - 1].total += 1
    if !isSuccess { slices[slices.count - 1].failures += 1 }
  }
}
