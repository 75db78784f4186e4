import LupineCore
import LupineSupport

/// The times of a running request, which its deadlines are checked against; what is overdue, and why.
struct TimedRequest {
  let started: Duration
  /// The deadline of the request, independent of its timeouts.
  let deadline: Duration?
  /// The start time of the attempt, if it has a timeout.
  let attempt: Duration?
  /// The exchange that the idle timeout applies to.
  let exchange: ExchangeControl?
  /// The timeouts that an adapter or an interceptor set.
  let changedTimeouts: Timeouts?

  /// The instant at which a request must end; `nil` if its time has no limit.
  static func end(of timeouts: Timeouts, since started: Duration, _ deadline: Duration?) -> Duration? {
    guard let total = timeouts.total else { return deadline }
    return min(started + total, deadline ?? started + total)
  }

  /// The error of a request that must end now, because its time is over or its timeouts are invalid; `nil` otherwise.
  func reasonToEnd(_ timeouts: Timeouts, now: Duration) -> LupineError? {
    if let end = Self.end(of: timeouts, since: started, deadline), now >= end {
      return overrun(of: timeouts.total, now: now)
    }
    return timeouts.issues.first.map { issue in
      LupineError(.invalidRequest, "The request's timeouts are invalid: \(issue).")
    }
  }

  /// The error of a request that exceeds its deadline or its total timeout.
  private func overrun(of total: Duration?, now: Duration) -> LupineError {
    guard let total, now >= started + total else {
      let hasBegun = deadline.map { $0 > started } ?? true
      return LupineError(
        .timedOut(.total), "The request's deadline \(hasBegun ? "passed" : "had passed before it began").")
    }
    guard total > .zero else {
      return LupineError(
        .timedOut(.total), "No time was left to the request when it began: its total timeout is \(total.milliseconds).")
    }
    return LupineError.timedOut(.total, after: total)
  }
}

extension LupineError {
  /// The error of a timeout.
  static func timedOut(_ timeout: Timeout, after bound: Duration) -> LupineError {
    switch timeout {
    case .total:
      LupineError(.timedOut(.total), "The request took longer than its total timeout of \(bound.milliseconds).")
    case .attempt:
      LupineError(.timedOut(.attempt), "The attempt took longer than its timeout of \(bound.milliseconds).")
    default:
      LupineError(
        .timedOut(timeout),
        "Neither the request nor the response made progress for \(bound.milliseconds), the \(timeout.rawValue) timeout."
      )
    }
  }
}
