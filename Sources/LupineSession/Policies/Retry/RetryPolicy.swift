import FoundationEssentials
public import HTTPTypes
public import LupineCore
import LupineSupport

/// Retries what is safe to repeat and likely to succeed, later each time.
///
/// There are two retries, for idempotent methods, on statuses that say "later" and on errors of the network, as with
/// Alamofire. 425 and 429 are among the statuses, which they are not there. The n-th delay is drawn from nothing up to
/// 0.5 × 2ⁿ⁻¹ seconds (full jitter).
///
/// `Retry-After` (RFC 9110 section 10.2.3) is kept to in both its forms: the delay is at least as long as the server asks,
/// and a server that asks for more than the cap gets no retry at all. A request that is not idempotent is retried where it
/// is marked as harmless to repeat, or carries an `Idempotency-Key`.
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

  /// Sets the policy.
  ///
  /// - Parameters:
  ///   - limit: the retries that this policy grants a request, besides those of other retriers. Default: 2.
  ///   - base: what is raised to the number of the retry. Default: 2.
  ///   - scale: seconds that the power is multiplied by. Default: 0.5.
  ///   - cap: the longest delay of the policy's own. Default: 60 seconds.
  ///   - jitter: the part of a delay that is drawn, from 0 (none of it) to 1. Default: 1.
  ///   - retryAfterCap: the longest delay that a server may ask for. Default: 60 seconds.
  ///   - methods: the methods that are harmless to repeat.
  ///   - statusCodes: the statuses that are retried, validated or not.
  ///   - errors: the errors that are retried.
  ///   - budget: what limits the retries to each origin; one of infinite capacity sets no such limit. Default: `nil`, for
  ///     the budget of the session that asks, which all its policies share: 100 retries, and one more for each five
  ///     requests that are answered.
  public init(
    limit: Int = 2, base: Double = 2, scale: Double = 0.5, cap: Duration = .seconds(60), jitter: Double = 1,
    retryAfterCap: Duration = .seconds(60), methods: Set<HTTPRequest.Method> = RetryPolicy.defaultMethods,
    statusCodes: Set<Int> = RetryPolicy.defaultStatusCodes,
    errors: Set<LupineError.Kind> = RetryPolicy.defaultErrors, budget: RetryBudget? = nil
  ) {
    self.limit = limit
    self.base = base
    self.scale = scale
    self.cap = cap
    self.jitter = jitter.isNaN ? 1 : min(max(0, jitter), 1)
    self.retryAfterCap = retryAfterCap
    self.methods = methods
    self.statusCodes = statusCodes
    self.errors = errors
    self.budget = budget
  }

  /// Retries after a delay, where the request may be repeated and retries are left, its own and its origin's.
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
    // The session does not send such a body again, whatever the answer, and says so.
    guard attempt.request.body.isRetryable else { return .retry(after: delay) }
    guard (budget ?? attempt.sessionBudget)?.take(for: attempt.request.url) ?? true else {
      attempt.note("the budget of retries for \(attempt.request.url.origin) is spent")
      return .doNotRetry
    }
    return .retry(after: delay)
  }

  /// Puts a part of a retry back into the policy's own budget; the session does so with its own.
  public func didSucceed(_ request: OutgoingRequest) { budget?.answered(request.url) }

  /// How long to wait; `nil` where the server asks for too long.
  private func delay(_ attempt: AttemptOutcome) -> Duration? {
    let own = ceiling(after: attempt.retries) * (1 - jitter * (1 - attempt.random()))
    guard let head = attempt.response, let asked = RetryAfter.delay(head, now: attempt.date) else { return own }
    guard asked <= retryAfterCap else {
      attempt.note("the server asks to wait for longer than \(retryAfterCap.milliseconds)")
      return nil
    }
    return max(own, asked)
  }

  /// The longest delay after so many retries; the cap where the power leaves what a number can say.
  private func ceiling(after retries: Int) -> Duration {
    let longest = cap / .seconds(1)
    var seconds = scale
    for _ in 0..<max(0, retries) where seconds < longest { seconds *= base }
    guard seconds < longest else { return cap }
    return .seconds(max(0, seconds))
  }

  private func isRepeatable(_ request: OutgoingRequest) -> Bool {
    request.options.isIdempotent ?? (methods.contains(request.method) || request.hasIdempotencyKey)
  }

  private func isTransient(_ attempt: AttemptOutcome) -> Bool {
    if let response = attempt.response, statusCodes.contains(response.status.code) { return true }
    return attempt.error.map { errors.contains($0.kind) } ?? false
  }
}

extension RetryPolicy {
  /// The methods that are harmless to repeat (RFC 9110 section 9.2.2).
  public static let defaultMethods: Set<HTTPRequest.Method> = OutgoingRequest.idempotentMethods

  /// The statuses that are retried, validated or not: Alamofire's, 425 (RFC 8470) and 429 (RFC 6585).
  public static let defaultStatusCodes: Set<Int> = [408, 425, 429, 500, 502, 503, 504]

  /// The errors that are retried: what Alamofire's list of network errors comes to here.
  ///
  /// A total timeout is not among them, since no time is left; nor is a certificate that was refused, nor a response that
  /// breaks the rules of HTTP, which would come again.
  public static let defaultErrors: Set<LupineError.Kind> = [
    .hostNotFound, .connectionRefused, .networkUnreachable, .connectionFailed, .connectionLost, .tlsFailed,
    .timedOut(.connect), .timedOut(.idle), .timedOut(.attempt), .contentDecodingFailed,
  ]
}

extension Retrier where Self == RetryPolicy {
  /// Retries idempotent requests up to `limit` times, waiting about twice as long each time.
  public static func backoff(limit: Int = 2) -> RetryPolicy { RetryPolicy(limit: limit) }
}

/// How long a server asks to wait (RFC 9110 section 10.2.3).
enum RetryAfter {
  /// The delay that `Retry-After` names, in either form; a date that has passed is no delay, and a field that is malformed
  /// is as none.
  static func delay(_ head: HTTPResponse, now: Date) -> Duration? {
    head.headerFields[values: .retryAfter].lazy.compactMap { delay($0, now: now) }.first
  }

  private static func delay(_ value: String, now: Date) -> Duration? {
    let text = String(value.trimmingBlanks())
    guard !text.isEmpty else { return nil }
    if text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      // More digits than a number holds are a delay beyond every cap.
      return .seconds(Int64(text) ?? .max)
    }
    return HTTPDate.parse(text, now: now).map { .seconds(max(0, $0.timeIntervalSince(now))) }
  }
}
