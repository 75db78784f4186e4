/// What a circuit breaker knows of one server.
struct Circuit: Sendable {
  /// What an exchange was let through with.
  struct Pass: Sendable {
    /// Which period of the circuit it belongs to: what ends in another one is no news.
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

  /// The outcomes of a tenth of the window.
  private struct Slice {
    let start: Duration
    var failures = 0
    var total = 0
  }

  private var phase = Phase.closed
  private var period = 0
  private var slices: [Slice] = []
  /// Breaks in a row.
  private var breaks = 0

  var isClosed: Bool {
    if case .closed = phase { true } else { false }
  }

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

  /// Takes in how an exchange ended; `nil` where it tells nothing.
  mutating func record(
    _ isSuccess: Bool?, _ pass: Pass, now: Duration, _ configuration: CircuitBreaker.Configuration
  ) -> Change? {
    guard pass.period == period else { return nil }
    if pass.isProbe { return endProbe(isSuccess, now: now, configuration) }
    guard case .closed = phase, let isSuccess else { return nil }
    count(isSuccess, now: now, configuration.window)
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
      // A probe that was cancelled told nothing: the next exchange is one.
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
    var duration = configuration.breakDuration
    for _ in 0..<breaks where duration < configuration.maximumBreakDuration { duration += duration }
    duration = min(duration, configuration.maximumBreakDuration)
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
