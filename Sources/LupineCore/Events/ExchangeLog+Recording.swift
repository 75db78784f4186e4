import HTTPTypes
import LupineSupport

extension ExchangeLog.Attempt {
  /// Takes in what happened during the attempt.
  mutating func record(_ event: SessionEvent) {
    switch event.kind {
    case .sending(let summary): hops.append(ExchangeLog.Hop(request: summary, started: event.time))
    case .connected, .informational, .head, .received:
      if !hops.isEmpty { hops[hops.count - 1].record(event) }
    default:
      if let decision = ExchangeLog.Decision(event, hop: hops.count) { decisions.append(decision) }
    }
  }
}

extension ExchangeLog.Hop {
  fileprivate mutating func record(_ event: SessionEvent) {
    switch event.kind {
    case .connected(let address, let isReused): connection = (address, isReused)
    case .informational(let head): informational.append(head.status.code)
    case .head(let head):
      status = head.status.code
      headArrived = event.time
    case .received(let count, let cost):
      bytes = count
      metrics = cost
    default: break
    }
  }
}

extension ExchangeLog.Decision {
  init?(_ event: SessionEvent, hop: Int) {
    let (kind, text): (Kind, String)
    switch event.kind {
    case .redirected(let target, let isFollowed, let reason):
      (kind, text) = (.redirect, isFollowed ? "redirected to \(target): \(reason)" : "redirect not followed: \(reason)")
    case .challenged(let isAnswered, let reason):
      (kind, text) = (.challenge, isAnswered ? "challenge answered: \(reason)" : "challenge not answered: \(reason)")
    case .resending(_, let reason): (kind, text) = (.resend, "sent again: \(reason)")
    case .validated(let error):
      (kind, text) = (.validation, error.map { "refused: \($0.message)" } ?? "accepted")
    case .failed(let error): (kind, text) = (.failure, "failed: \(error.message)")
    case .retrying(let delay?, let reason):
      (kind, text) = (.retry, "retried after \(delay.milliseconds): \(reason)")
    case .retrying(nil, let reason): (kind, text) = (.retry, "not retried: \(reason)")
    case .continued: (kind, text) = (.continuation, "\(event.kind)")
    case .queued: (kind, text) = (.queue, "\(event.kind)")
    case .warning: (kind, text) = (.warning, "\(event.kind)")
    case .decided(let policy, let reason): (kind, text) = (.policy, "\(policy): \(reason)")
    case .suspended: (kind, text) = (.suspension, "suspended")
    case .resumed: (kind, text) = (.suspension, "resumed")
    default: return nil
    }
    self.init(kind: kind, time: event.time, text: text, hop: hop)
  }
}
