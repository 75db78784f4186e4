import HTTPTypes
import LupineSupport

/// Everything that happened to one request, as its session told it: attempts, hops, and each decision with its reason.
///
/// An `ExchangeLogMonitor` gathers them. Printed, it is a page that a person reads in a test's failure message.
public struct ExchangeLog: Sendable {
  /// The request's number in its session.
  public let id: RequestID
  /// The request as it was described; `nil` where it ended before it began.
  public private(set) var request: RequestSummary?
  /// When the first event came, on the session's clock.
  public let started: Duration
  /// When the request was over; `nil` while it runs.
  public private(set) var ended: Duration?
  /// Why the request failed; `nil` where it did not, or runs.
  public private(set) var failure: LupineError?
  /// What was decided before the first attempt, in order, such as that the request is held back.
  public private(set) var preparation: [Decision] = []
  /// The attempts, in their order.
  public private(set) var attempts: [Attempt] = []

  /// A log that begins with an event.
  public init(_ event: SessionEvent) {
    id = event.request
    started = event.time
    record(event)
  }

  /// Adds an event of the same request; one of another is left out.
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

  /// Every decision, those before the first attempt and of every attempt, in their order.
  public var decisions: [Decision] { preparation + attempts.flatMap(\.decisions) }
}

extension ExchangeLog {
  /// One attempt.
  public struct Attempt: Sendable {
    /// Its number, from 1.
    public let number: Int
    /// The request after the adapters.
    public let request: RequestSummary
    /// When it began.
    public let started: Duration
    /// The exchanges it took: one, and one more for each redirect followed, each challenge answered and each time that an
    /// exchange was made again.
    public internal(set) var hops: [Hop] = []
    /// What was decided, in order.
    public internal(set) var decisions: [Decision] = []
  }

  /// One exchange with a server.
  public struct Hop: Sendable {
    /// What was sent.
    public let request: RequestSummary
    /// When.
    public let started: Duration
    /// Where the connection leads and whether it had served before; `nil` where the transport has none.
    public internal(set) var connection: (address: String, isReused: Bool)?
    /// The statuses of the interim responses.
    public internal(set) var informational: [Int] = []
    /// The status of the final response; `nil` where none came.
    public internal(set) var status: Int?
    /// When its head came.
    public internal(set) var headArrived: Duration?
    /// Bytes of its body, after decoding; `nil` where it did not come to its end.
    public internal(set) var bytes: Int64?
    /// What the exchange cost, where it ended well.
    public internal(set) var metrics: TransferMetrics?
  }

  /// Something that was decided, and why.
  public struct Decision: Sendable, Hashable {
    /// What was decided.
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
      /// The exchange was made again within its attempt.
      case resend
      /// A policy such as a circuit breaker decided something.
      case policy
      /// The request was suspended or resumed.
      case suspension
      /// A download goes on from where it was, or begins anew.
      case continuation
      /// The exchange waited for a free connection.
      case queue
      /// Something was risky; the exchange went on.
      case warning
    }

    /// What was decided.
    public let kind: Kind
    /// When.
    public let time: Duration
    /// The decision and its reason, in a sentence.
    public let text: String
    /// How many exchanges of the attempt had begun.
    let hop: Int

    /// Whether it concerns one exchange and not the attempt.
    var isOfHop: Bool { [.redirect, .challenge, .continuation, .queue, .resend, .warning].contains(kind) }
  }
}

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
