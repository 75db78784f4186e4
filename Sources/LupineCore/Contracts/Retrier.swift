public import FoundationEssentials
public import HTTPTypes

/// Decides whether a failed request is sent again; the session acts on the decision.
///
/// The first retrier whose answer is not `doNotRetry` decides. A request whose body cannot be sent again is not retried,
/// whatever the answer.
public protocol Retrier: Sendable {
  /// Answers for one failed attempt.
  func decision(for attempt: AttemptOutcome) async -> RetryDecision

  /// Hears of a request that ended well, for a retrier that keeps an account; must be quick.
  ///
  /// Default: does nothing.
  func didSucceed(_ request: OutgoingRequest)
}

extension Retrier {
  /// Does nothing.
  public func didSucceed(_ request: OutgoingRequest) {}
}

/// What a retrier answers.
public enum RetryDecision: Sendable {
  /// Send again at once.
  case retry
  /// Send again after this long, on the session's clock.
  case retryAfter(Duration)
  /// Leave the failure as it is, unless a later retrier decides otherwise.
  case doNotRetry
  /// End the request with this error instead; the failure becomes its `underlying` error, unless it has one.
  case fail(LupineError)

  /// Send again after this long, on the session's clock.
  public static func retry(after delay: Duration) -> RetryDecision { .retryAfter(delay) }
}

/// An attempt that failed: no response, or one that was refused.
public struct AttemptOutcome: Sendable {
  /// The request as the attempt began with it, after the adapters.
  public var request: OutgoingRequest
  /// The request as it was sent last: the same, unless a redirect led elsewhere.
  public var lastRequest: OutgoingRequest
  /// The redirects that were followed.
  public var redirects: [RedirectStep]
  /// Which attempt this was, from 1, whoever had asked for it.
  public var number: Int
  /// How many retries of this request the retrier that is asked has granted so far; those of the others do not count.
  public var retries: Int
  /// The head of the response, where one arrived.
  public var response: HTTPResponse?
  /// Who sent the response: the server, or a proxy that would not make the connection.
  public var source: TransportResponse.Source
  /// Why the attempt failed; `nil` where the response passed validation, as with no validation at all.
  public var error: LupineError?
  /// The session's source of randomness, for jitter: a number from 0 up to 1.
  public var random: @Sendable () -> Double
  /// How long ago the request began.
  public var elapsed: Duration
  /// The session's clock, for a retrier that waits.
  public var clock: any Clock<Duration>
  /// The session's date, for what the protocol dates.
  public var date: Date
  /// Notes why the retrier decided as it did, in a few words without secrets; the request's event of the decision has it.
  public var note: @Sendable (String) -> Void
  /// The session's account of retries, for policies that have none of their own.
  package var sessionBudget: RetryBudget?

  /// Describes an attempt.
  ///
  /// - Parameter retries: the retries that the retrier has granted. Default: all that there were, `number - 1`.
  public init(
    request: OutgoingRequest, lastRequest: OutgoingRequest? = nil, redirects: [RedirectStep] = [], number: Int,
    retries: Int? = nil, response: HTTPResponse?, source: TransportResponse.Source = .origin, error: LupineError?,
    elapsed: Duration = .zero, clock: any Clock<Duration> = ContinuousClock(), date: Date = Date(),
    random: @escaping @Sendable () -> Double = { 0.5 }, note: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.request = request
    self.lastRequest = lastRequest ?? request
    self.redirects = redirects
    self.number = number
    self.retries = retries ?? number - 1
    self.response = response
    self.source = source
    self.error = error
    self.elapsed = elapsed
    self.clock = clock
    self.date = date
    self.random = random
    self.note = note
  }

  /// The attempt as a retrier sees it that has granted so many retries.
  package func granted(_ retries: Int) -> AttemptOutcome {
    var attempt = self
    attempt.retries = retries
    return attempt
  }

  /// Whether a redirect led to another origin, so that the request's secrets were left behind.
  public var hasLeftOrigin: Bool {
    let origin = request.url.origin
    return lastRequest.url.origin != origin || redirects.contains { $0.request.url.origin != origin }
  }
}

extension AttemptOutcome: HidesSecrets {
  /// The request, which attempt it was, and the status or the error.
  public var description: String {
    let end = error?.message ?? response.map { "status \($0.status.code)" } ?? "no response"
    return "attempt \(number) of \(request.summary): \(end)"
  }
}
