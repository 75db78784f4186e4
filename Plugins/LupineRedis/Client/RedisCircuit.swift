import LupineFoundation

/// Decides when to try a server again that has failed.
///
/// After a failure it refuses every command for a time, and then admits one probe. A failed probe doubles the time, up
/// to a maximum; a success ends it.
struct RedisCircuit: Sendable {
  enum Admission: Equatable {
    case normal
    /// The one command that tries the server again; its end must be reported.
    case probe
    /// Refused for this time.
    case refused(Duration)
  }

  private let delays: ClosedRange<Duration>
  private var delay: Duration
  /// The time of the next probe; `nil` if the server works.
  private var probeTime: Duration?
  private var isProbing = false

  init(delays: ClosedRange<Duration>) {
    self.delays = delays
    delay = delays.lowerBound
  }

  /// Whether commands that are not the probe are refused.
  var isOpen: Bool { probeTime != nil }

  mutating func admit(at now: Duration) -> Admission {
    guard let probeTime else { return .normal }
    guard now >= probeTime, !isProbing else { return .refused(max(.zero, probeTime - now)) }
    isProbing = true
    return .probe
  }

  mutating func succeed() { self = RedisCircuit(delays: delays) }

  /// Records a failure; those of commands that began before the circuit opened do not count.
  mutating func fail(at now: Duration, isProbe: Bool) {
    guard isProbe || probeTime == nil else { return }
    if isProbe { delay = min(delay + delay, delays.upperBound) }
    probeTime = now + delay
    isProbing = false
  }

  /// Records that the probe was cancelled; the next command is the probe.
  mutating func abandonProbe() { isProbing = false }
}
