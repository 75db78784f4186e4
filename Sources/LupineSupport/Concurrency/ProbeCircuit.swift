/// Decides when to try a service again that has failed.
///
/// After a failure it refuses every call for a time, and then admits one probe. A failed probe doubles the time, up to a
/// maximum; a success ends it.
public struct ProbeCircuit: Sendable {
  /// The answer to a call that is about to begin.
  public enum Admission: Sendable, Equatable {
    case normal
    /// The one call that tries the service again; its end must be reported.
    case probe
    /// Refused for this time.
    case refused(Duration)
  }

  private let delays: ClosedRange<Duration>
  /// The time from a failure to the next probe.
  public private(set) var delay: Duration
  /// The time of the next probe; `nil` if the service works.
  private var probeTime: Duration?
  private var isProbing = false

  /// Creates the circuit of a service that works.
  ///
  /// - Parameter delays: the time after the first failure, and the longest time.
  public init(delays: ClosedRange<Duration>) {
    self.delays = delays
    delay = delays.lowerBound
  }

  /// Whether calls that are not the probe are refused.
  public var isOpen: Bool { probeTime != nil }

  /// Admits or refuses a call.
  public mutating func admit(at now: Duration) -> Admission {
    guard let probeTime else { return .normal }
    guard now >= probeTime, !isProbing else { return .refused(max(.zero, probeTime - now)) }
    isProbing = true
    return .probe
  }

  /// Records a success.
  public mutating func succeed() { self = ProbeCircuit(delays: delays) }

  /// Records a failure; failures of calls that began before the circuit opened do not count.
  public mutating func fail(at now: Duration, isProbe: Bool) {
    guard isProbe || probeTime == nil else { return }
    if isProbe { delay = delay > delays.upperBound / 2 ? delays.upperBound : delay + delay }
    probeTime = now + delay
    isProbing = false
  }

  /// Records that the probe was cancelled; the next call is the probe.
  public mutating func abandonProbe() { isProbing = false }
}
