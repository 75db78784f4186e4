public import HTTPTypes
public import LupineCore
import LupineFoundation
import LupineSupport
import Synchronization

/// Retries requests that are safe to repeat after transient failures, with increasing delays.
///
/// By default, requests with idempotent methods are retried twice, on the statuses `defaultStatusCodes` and the network
/// errors `defaultErrors`. These follow Alamofire, with the statuses 425 and 429 in addition. The n-th delay is random,
/// from 0 to 0.5 × 2ⁿ⁻¹ seconds (full jitter).
///
/// Both forms of `Retry-After` (RFC 9110 section 10.2.3) are supported: the delay is at least as long as the server
/// asks. If the server asks for more than the cap, the request is not retried. A request with another method is retried
/// if it is marked as safe to repeat or has an `Idempotency-Key`.
public struct RetryPolicy: Retrier {
  private let limit: Int
  private let base: Double
  private let scale: Double
  private let cap: Duration
  private let jitter: Double
  private let retryAfterCap: Duration
  private let methods: Set<HTTPRequest.Method>
  private let statusCodes: Set<Int>
  private let errors: Set<LupineError.Kind>
  private let budget: RetryBudget?

  /// Creates the policy.
  ///
  /// - Parameters:
  ///   - limit: the maximum number of retries that this policy grants a request, in addition to those of other
  ///     retriers. Default: 2.
  ///   - base: the base of the exponential delay. Default: 2.
  ///   - scale: the factor of the exponential delay, in seconds. Default: 0.5.
  ///   - cap: the maximum of the computed delay. Default: 60 seconds.
  ///   - jitter: the random part of a delay, from 0 (none) to 1. Default: 1.
  ///   - retryAfterCap: the maximum delay that a server may ask for. Default: 60 seconds.
  ///   - methods: the methods that are safe to repeat.
  ///   - statusCodes: the statuses that are retried, whether validated or not.
  ///   - errors: the errors that are retried.
  ///   - budget: limits the retries to each origin; a budget of infinite capacity sets no limit. Default: `nil`, which
  ///     uses the session's budget, shared by its policies: 100 retries, and one more for each five requests that are
  ///     answered.
  public init(
    limit: Int = RetryPolicy.defaultLimit, base: Double = 2, scale: Double = 0.5,
    cap: Duration = RetryPolicy.defaultCap, jitter: Double = 1,
    retryAfterCap: Duration = RetryPolicy.defaultRetryAfterCap,
    methods: Set<HTTPRequest.Method> = RetryPolicy.defaultMethods,
    statusCodes: Set<Int> = RetryPolicy.defaultStatusCodes,
    errors: Set<LupineError.Kind> = RetryPolicy.defaultErrors, budget: RetryBudget? = nil
  ) {
    self.limit = limit
    self.base = base
    self.scale = scale
    self.cap = cap.bounded
    self.jitter = jitter.isNaN ? 1 : min(max(0, jitter), 1)
    self.retryAfterCap = retryAfterCap
    self.methods = methods
    self.statusCodes = statusCodes
    self.errors = errors
    self.budget = budget
  }

  /// Retries after a delay if the request is safe to repeat, the limit is not reached and the budget is not spent.
  public func decision(for attempt: AttemptOutcome) async -> RetryDecision {
    guard isTransient(attempt) else {
      if attempt.response != nil { budget?.answered(attempt.request.url) }
      return .doNotRetry
    }
    guard attempt.retries < limit else {
      attempt.note("the limit of \(limit) retries is reached")
      return .doNotRetry
    }
    guard isRepeatable(attempt.request) else {
      attempt.note("\(attempt.request.method.rawValue) is not idempotent")
      return .doNotRetry
    }
    guard let delay = delay(attempt) else { return .doNotRetry }
    // The session does not resend such a body, and reports why.
    guard attempt.request.body.isRetryable else { return .retry(after: delay) }
    guard (budget ?? attempt.sessionBudget)?.take(for: attempt.request.url) ?? true else {
      attempt.note("the budget of retries for \(attempt.request.url.origin) is spent")
      return .doNotRetry
    }
    return .retry(after: delay)
  }

  /// Adds credit to the policy's own budget, if it has one; the session does so for its budget.
  public func didSucceed(_ request: OutgoingRequest) { budget?.answered(request.url) }

  /// `false`: a serializer that fails has received a response, so another attempt is not the remedy.
  public var decidesAboutSerializers: Bool { false }

  /// The delay of the retry; `nil` if the server asks for more than the cap.
  private func delay(_ attempt: AttemptOutcome) -> Duration? {
    let own = ceiling(after: attempt.retries) * (1 - jitter * (1 - attempt.random()))
    guard let head = attempt.response, let asked = RetryAfter.delay(head, now: attempt.date) else { return own }
    guard asked <= retryAfterCap else {
      attempt.note("the server asks to wait for longer than \(retryAfterCap.milliseconds)")
      return nil
    }
    return max(own, asked)
  }

  /// The maximum delay after this number of retries; the cap if the power overflows.
  private func ceiling(after retries: Int) -> Duration {
    let longest = cap / .seconds(1)
    var seconds = scale
    for _ in 0..<max(0, retries) where seconds < longest { seconds *= base }
    guard seconds < longest else { return cap }
    return Duration(boundedSeconds: max(0, seconds))
  }

  private func isRepeatable(_ request: OutgoingRequest) -> Bool {
    request.options.isIdempotent ?? (methods.contains(request.method) || request.headers.contains(.idempotencyKey))
  }

  private func isTransient(_ attempt: AttemptOutcome) -> Bool {
    // A retrier that asks this policy may decide about serializers.
    if attempt.failedInSerializer { return false }
    if let response = attempt.response, statusCodes.contains(response.status.code) { return true }
    return attempt.error.map { errors.contains($0.kind) } ?? false
  }
}

extension RetryPolicy {
  /// The maximum number of retries of a request: 2.
  public static let defaultLimit = 2

  /// The maximum of a computed delay: 60 seconds.
  public static let defaultCap = Duration.seconds(60)

  /// The maximum delay that a server may ask for: 60 seconds.
  public static let defaultRetryAfterCap = Duration.seconds(60)

  /// The idempotent methods (RFC 9110 section 9.2.2), with QUERY (RFC 10008).
  public static let defaultMethods: Set<HTTPRequest.Method> = OutgoingRequest.idempotentMethods

  /// The statuses that are retried, whether validated or not.
  ///
  /// They are Alamofire's, 425 (RFC 8470), 429 (RFC 6585), and 529, which several services send while they are overloaded.
  public static let defaultStatusCodes: Set<Int> = [408, 425, 429, 500, 502, 503, 504, 529]

  /// The errors that are retried, corresponding to Alamofire's list of network errors.
  ///
  /// A total timeout is not included, because no time is left. A refused certificate and a response that violates HTTP
  /// are not included, because they would occur again.
  public static let defaultErrors: Set<LupineError.Kind> = [
    .hostNotFound, .connectionRefused, .networkUnreachable, .connectionFailed, .connectionLost, .tlsFailed,
    .timedOut(.connect), .timedOut(.idle), .timedOut(.attempt), .contentDecodingFailed,
  ]
}

extension Retrier where Self == RetryPolicy {
  /// Retries idempotent requests up to `limit` times; each delay is about twice as long as the one before.
  public static func backoff(limit: Int = RetryPolicy.defaultLimit) -> RetryPolicy { RetryPolicy(limit: limit) }
}

/// Reads the delay that a server asks for (RFC 9110 section 10.2.3).
enum RetryAfter {
  /// The delay of `Retry-After` in either form; `nil` if the field is missing or malformed.
  ///
  /// A date in the past gives a delay of 0. Of several values the longest counts. A number with a fraction, which the
  /// grammar does not have, is rounded up.
  static func delay(_ head: HTTPResponse, now: Date) -> Duration? {
    head.headerFields[values: .retryAfter].compactMap { delay($0, now: now) }.max()
  }

  private static func delay(_ value: String, now: Date) -> Duration? {
    let text = String(value.trimmingBlanks())
    guard !text.isEmpty else { return nil }
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    if parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }) {
      let hasFraction = parts.count == 2 && parts[1].utf8.contains { $0 != 0x30 }
      // A number of seconds that overflows is greater than every cap.
      return Int64(parts[0]).map { (.seconds($0) + .seconds(hasFraction ? 1 : 0)).bounded } ?? .longest
    }
    return HTTPDate.parse(text, now: now).map { Duration(boundedSeconds: max(0, $0.timeIntervalSince(now))) }
  }
}

/// Retries only idempotent requests whose connection was lost.
///
/// Use it in programs that leave other retries to their users.
public struct ConnectionLostRetryPolicy: Retrier {
  private let policy: RetryPolicy

  /// Creates the policy; see `RetryPolicy` for the parameters.
  public init(
    limit: Int = RetryPolicy.defaultLimit, base: Double = 2, scale: Double = 0.5,
    methods: Set<HTTPRequest.Method> = RetryPolicy.defaultMethods, budget: RetryBudget? = nil
  ) {
    policy = RetryPolicy(
      limit: limit, base: base, scale: scale, methods: methods, statusCodes: [], errors: [.connectionLost],
      budget: budget)
  }

  /// Retries after a delay if the connection was lost and the request is safe to repeat.
  public func decision(for attempt: AttemptOutcome) async -> RetryDecision { await policy.decision(for: attempt) }

  /// Adds credit to the policy's own budget, if it has one; the session does so for its budget.
  public func didSucceed(_ request: OutgoingRequest) { policy.didSucceed(request) }

  /// `false`: a serializer that fails has received a response, so another attempt is not the remedy.
  public var decidesAboutSerializers: Bool { false }
}

extension Retrier where Self == ConnectionLostRetryPolicy {
  /// Retries idempotent requests whose connection was lost, up to `limit` times.
  public static func connectionLost(limit: Int = RetryPolicy.defaultLimit) -> ConnectionLostRetryPolicy {
    ConnectionLostRetryPolicy(limit: limit)
  }
}

/// The source of a request's idempotency key.
enum IdempotencyKey: Sendable {
  /// The session generates a key for each request.
  case fresh
  /// The program sets the key.
  case given(String)

  /// A UUID of version 4 from 128 random bits, in quotes as in the field's draft.
  static func make(_ random: () -> UInt64) -> String {
    let high = random() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
    let low = random() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    let digits = Hexadecimal.text(high, digits: 16) + Hexadecimal.text(low, digits: 16)
    var groups: [Substring] = []
    var rest = digits[...]
    for length in [8, 4, 4, 4, 12] {
      groups.append(rest.prefix(length))
      rest = rest.dropFirst(length)
    }
    return "\"" + groups.joined(separator: "-") + "\""
  }
}
