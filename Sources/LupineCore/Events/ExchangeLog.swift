import HTTPTypes
import LupineSupport

/// The events of one request: attempts, hops, and each decision with its reason.
///
/// An `ExchangeLogMonitor` collects logs. The description is readable text for a test's failure message.
public struct ExchangeLog: Sendable {
  /// The request's number in its session.
  public let id: RequestID
  /// The request as described; `nil` if it ended before it began.
  public private(set) var request: RequestSummary?
  /// The time of the first event, on the session's clock.
  public let started: Duration
  /// The time of the request's end; `nil` while it runs.
  public private(set) var ended: Duration?
  /// The reason for the failure; `nil` if the request succeeded or still runs.
  public private(set) var failure: LupineError?
  /// The decisions before the first attempt, in order, such as a delay of the request.
  private(set) var preparation: [Decision] = []
  /// The attempts, in order.
  public private(set) var attempts: [Attempt] = []

  /// Creates a log from its first event.
  public init(_ event: SessionEvent) {
    id = event.request
    started = event.time
    record(event)
  }

  /// Adds an event of the same request; ignores events of other requests.
  public mutating func record(_ event: SessionEvent) {
    guard event.request == id else { return }
    switch event.kind {
    case .started(let summary): request = summary
    case .finished(let error):
      ended = event.time
      failure = error
    case .attempting(let summary):
      attempts.append(Attempt(number: event.attempt, request: summary, started: event.time))
    default:
      if !attempts.isEmpty {
        attempts[attempts.count - 1].record(event)
      } else if let decision = Decision(event, hop: 0) {
        preparation.append(decision)
      }
    }
  }

  /// All decisions in order: those before the first attempt, then those of each attempt.
  public var decisions: [Decision] { preparation + attempts.flatMap(\.decisions) }
}

extension ExchangeLog {
  /// One attempt.
  public struct Attempt: Sendable {
    /// The number of the attempt, from 1.
    public let number: Int
    /// The request after the adapters.
    public let request: RequestSummary
    /// The time of the start.
    public let started: Duration
    /// The exchanges of the attempt.
    ///
    /// There is one, and one more for each redirect followed, each challenge answered and each exchange that was
    /// repeated.
    public internal(set) var hops: [Hop] = []
    /// The decisions, in order.
    public internal(set) var decisions: [Decision] = []
  }

  /// One exchange with a server.
  public struct Hop: Sendable {
    /// The request that was sent.
    public let request: RequestSummary
    /// The time of the start.
    public let started: Duration
    /// The address of the connection and whether it was reused; `nil` if the transport has no connections.
    public internal(set) var connection: (address: String, isReused: Bool)?
    /// The status codes of the interim responses.
    public internal(set) var informational: [Int] = []
    /// The status code of the final response; `nil` if none arrived.
    public internal(set) var status: Int?
    /// The arrival time of the head.
    public internal(set) var headArrived: Duration?
    /// The number of bytes of the body, after decoding; `nil` if it did not arrive completely.
    public internal(set) var bytes: Int64?
    /// The metrics of the exchange, if it ended without an error.
    public internal(set) var metrics: TransferMetrics?
  }

  /// A decision with its reason.
  public struct Decision: Sendable, Hashable {
    /// The subject of a decision.
    public enum Kind: String, Sendable, Hashable {
      /// A redirect was followed, or not.
      case redirect
      /// A challenge was answered, or not.
      case challenge
      /// The response was accepted, or refused.
      case validation
      /// The exchange failed.
      case failure
      /// The request is sent again, or not.
      case retry
      /// The exchange was repeated within its attempt.
      case resend
      /// A policy such as a circuit breaker made a decision.
      case policy
      /// The request was suspended or resumed.
      case suspension
      /// A download continues from a byte or starts again.
      case continuation
      /// The exchange waited for a free connection.
      case queue
      /// There was a risk; the exchange continued.
      case warning
    }

    /// The subject of the decision.
    public let kind: Kind
    /// The time of the decision.
    public let time: Duration
    /// The decision and its reason, in one sentence.
    public let text: String
    /// The number of the attempt's exchanges that had begun.
    let hop: Int

    /// Whether the decision is about one exchange, not about the attempt.
    var isOfHop: Bool { [.redirect, .challenge, .continuation, .queue, .resend, .warning].contains(kind) }
  }
}

extension ExchangeLog.Attempt {
  /// Records an event of the attempt.
  mutating func record(_ event: SessionEvent) {
    switch event.kind {
    case .sending(let summary, _): hops.append(ExchangeLog.Hop(request: summary, started: event.time))
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

extension ExchangeLog: CustomStringConvertible {
  /// The whole course of the request, one line per event.
  ///
  /// Times count from the start of the request.
  public var description: String { lines(isTimed: true).joined(separator: "\n") }

  /// The same without times, addresses and transport-specific causes.
  ///
  /// It is equal for two transports with the same behaviour.
  public var outline: String { lines(isTimed: false).joined(separator: "\n") }

  private func lines(isTimed: Bool) -> [String] {
    let request = request?.description ?? attempts.first?.request.description ?? "a request that could not be created"
    return ["\(id) \(request): \(result(isTimed))"] + preparation.map { "  " + line($0, isTimed) }
      + attempts.flatMap { lines($0, isTimed) }
  }

  private func result(_ isTimed: Bool) -> String {
    guard let ended else { return "still running" }
    let count = attempts.count == 1 ? "1 attempt" : "\(attempts.count) attempts"
    let status = attempts.last?.hops.last?.status.map { "status \($0)" } ?? "no response"
    let result = failure == nil ? status : "failed with \(failure.map { $0.kind.text } ?? "")"
    return isTimed
      ? "\(result) after \((ended.bounded - started.bounded).milliseconds), \(count)" : "\(result), \(count)"
  }

  private func lines(_ attempt: Attempt, _ isTimed: Bool) -> [String] {
    var lines = ["  attempt \(attempt.number)" + time(attempt.started, isTimed)]
    lines += self.lines(attempt, ofHop: 0, isTimed)
    for (index, hop) in attempt.hops.enumerated() {
      lines.append("    \(hop.request)" + time(hop.started, isTimed))
      lines.append("      \(answer(hop, isTimed))")
      lines += self.lines(attempt, ofHop: index + 1, isTimed)
    }
    return lines + attempt.decisions.filter { !$0.isOfHop }.map { "    " + line($0, isTimed) }
  }

  private func line(_ decision: Decision, _ isTimed: Bool) -> String {
    decision.line(isTimed).annotated(time(decision.time, isTimed))
  }

  /// Returns the decisions of one exchange.
  ///
  /// A wait for a connection is transport-specific.
  private func lines(_ attempt: Attempt, ofHop hop: Int, _ isTimed: Bool) -> [String] {
    attempt.decisions.filter { $0.isOfHop && $0.hop == hop && (isTimed || $0.kind != .queue) }
      .map { "      \($0.text)" }
  }

  private func answer(_ hop: Hop, _ isTimed: Bool) -> String {
    var parts: [String] = []
    if isTimed, let connection = hop.connection {
      parts.append("\(connection.isReused ? "reused connection" : "connection") to \(connection.address)")
    }
    if !hop.informational.isEmpty {
      parts.append("interim \(hop.informational.map(String.init).joined(separator: ", "))")
    }
    parts.append(hop.status.map { "status \($0)" } ?? "no response")
    if let bytes = hop.bytes { parts.append("\(bytes) bytes") }
    return parts.joined(separator: ", ")
  }

  private func time(_ time: Duration, _ isTimed: Bool) -> String {
    isTimed ? " (at \((time.bounded - started.bounded).milliseconds))" : ""
  }
}

extension ExchangeLog.Decision {
  /// Returns the decision's text.
  ///
  /// Without times it omits failure messages, which may be transport-specific, and random delays.
  fileprivate func line(_ isTimed: Bool) -> String {
    if isTimed { return text }
    switch kind {
    case .failure: return "failed"
    case .retry: return text.hasPrefix("not") ? "not retried" : "retried"
    default: return text
    }
  }
}

extension String {
  /// Returns the text with a note after its first line and deeper indentation of its other lines.
  fileprivate func annotated(_ note: String) -> String {
    let lines = split(separator: "\n", omittingEmptySubsequences: false)
    return ([(lines.first ?? "") + note] + lines.dropFirst().map { "      " + $0 }).joined(separator: "\n")
  }
}
