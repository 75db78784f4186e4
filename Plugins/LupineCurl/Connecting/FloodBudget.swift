/// Limits the processor time that libcurl spends on one connection without delivering data, over several calls.
///
/// `Watchdog` ends a single call that takes long. A peer that sends its flood a little more slowly than libcurl reads it
/// lets every call return soon, and is found here.
struct FloodBudget {
  /// The processor time, in nanoseconds, that libcurl may spend in one period.
  static let limit: UInt64 = 50_000_000
  /// The length of a period, in nanoseconds.
  static let period: UInt64 = 1_000_000_000
  /// The number of calls without data after which their time is measured.
  ///
  /// A handshake or a large record of TLS needs a few such calls.
  static let unmeasuredCalls = 32

  private var callCount = 0
  private var spent: UInt64 = 0
  private var periodStart: UInt64 = 0

  /// Whether the time of the next call must be measured.
  var measuresNextCall: Bool { callCount >= Self.unmeasuredCalls }

  /// Records a call that has delivered data.
  mutating func recordDelivery() {
    if callCount > 0 { self = FloodBudget() }
  }

  /// Records a call that has delivered nothing.
  mutating func recordCall() { callCount += 1 }

  /// Records a measured call that has delivered nothing; returns false if the connection must be ended.
  ///
  /// - Parameters:
  ///   - time: the processor time of the call in nanoseconds.
  ///   - now: the time of the monotonic clock in nanoseconds.
  mutating func recordCall(time: UInt64, at now: UInt64) -> Bool {
    if now - periodStart >= Self.period {
      periodStart = now
      spent = 0
    }
    spent += time
    return spent < Self.limit
  }
}
