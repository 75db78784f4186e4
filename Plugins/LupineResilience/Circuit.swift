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

  private enum Phase {
    case closed
    case open(until: Duration)
    case probing
  }

  /// The results of one tenth of the window.
  private struct Slice {
    let start: Duration
    var failures = 0
    var total = 0
  }

  private var phase = Phase.closed
  private var period = 0
  private var slices: [Slice] = []
  /// The number of consecutive breaks.
  private var breaks = 0

  var isClosed: Bool {
    if case .closed = phase { true } else { false }
  }

  /// The admission to a closed circuit; `nil` if the circuit is not closed.
  var passIfClosed: Pass? { isClosed ? Pass(period: period, isProbe: false) : nil }

  mutating func admit(now: Duration) -> Admission {
    switch phase {
    case .closed: return .pass(Pass(period: period, isProbe: false))
    case .open(let end) where now < end: return .refuse(rest: end - now)
    case .open:
      phase = .probing
      return .pass(Pass(period: period, isProbe: true))
    case .probing: return .refuse(rest: .zero)
    }
  }

  /// Records the result of an exchange; `nil` if it has no meaning for the circuit.
  mutating func record(
    _ isSuccess: Bool?, _ pass: Pass, now: Duration, _ configuration: CircuitBreaker.Configuration
  ) -> Change? {
    guard pass.period == period else { return nil }
    if pass.isProbe { return endProbe(isSuccess, now: now, configuration) }
    guard case .closed = phase, let isSuccess else { return nil }
    count(isSuccess, now: now, configuration.window.bounded)
    let (failures, total) = slices.reduce((0, 0)) { ($0.0 + $1.failures, $0.1 + $1.total) }
    guard failures > 0, total >= configuration.minimumThroughput,
      Double(failures) >= configuration.failureRatio * Double(total)
    else { return nil }
    return .opened(for: open(now: now, configuration), failures: failures, of: total)
  }

  private mutating func endProbe(
    _ isSuccess: Bool?, now: Duration, _ configuration: CircuitBreaker.Configuration
  ) -> Change? {
    guard let isSuccess else {
      // A cancelled probe has no result, so the next exchange is a probe.
      phase = .open(until: now)
      return nil
    }
    guard isSuccess else { return .opened(for: open(now: now, configuration), failures: 1, of: 1) }
    phase = .closed
    period += 1
    breaks = 0
    slices = []
    return .closed
  }

  private mutating func open(now: Duration, _ configuration: CircuitBreaker.Configuration) -> Duration {
    let longest = configuration.maximumBreakDuration.bounded
    var duration = max(.zero, configuration.breakDuration.bounded)
    for _ in 0..<breaks where duration > .zero && duration < longest { duration += duration }
    duration = min(duration, longest)
    phase = .open(until: now + duration)
    period += 1
    breaks += 1
    slices = []
    return duration
  }

  private mutating func count(_ isSuccess: Bool, now: Duration, _ window: Duration) {
    slices.removeAll { $0.start <= now - window }
    if slices.last.map({ now - $0.start >= window / 10 }) ?? true { slices.append(Slice(start: now)) }
    slices[slices.count - 1].total += 1
    if !isSuccess { slices[slices.count - 1].failures += 1 }
  }
}
