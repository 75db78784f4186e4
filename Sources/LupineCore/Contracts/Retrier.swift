public import HTTPTypes
public import LupineFoundation

/// Decides whether the session sends a failed request again.
///
/// The session asks its retriers, then those of the request, after an attempt that brought no response, whose response
/// failed validation or serialization, or whose status is 400 or above. The first retrier whose answer is not
/// `doNotRetry` decides. A request whose body cannot be sent again is not retried, whatever the answer.
///
/// A serializer that fails is the error of the attempt, with a kind such as `serializationFailed` and the response. The
/// retry policies of Lupine are not called for it (`decidesAboutSerializers`). This applies to the serializers
/// of data requests, uploads and downloads that were added before the response arrived, for a status below 400. The bytes
/// of a stream have been handed over, so no retrier decides about them.
///
/// A retrier is called off the caller's actor and off the transport's threads, and may be called concurrently for
/// different requests. It may wait; cancelling the request cancels the calling task. It must not send the request
/// itself.
///
/// This retrier repeats a request up to three times while the server is busy:
///
/// ```swift
/// struct BusyRetrier: Retrier {
///   func decision(for attempt: AttemptOutcome) async -> RetryDecision {
///     guard attempt.response?.status == .serviceUnavailable, attempt.retries < 3 else { return .doNotRetry }
///     return .retry(after: .seconds(1))
///   }
/// }
/// ```
public protocol Retrier: Sendable {
  /// Returns the decision for one failed attempt.
  func decision(for attempt: AttemptOutcome) async -> RetryDecision

  /// Receives a request that succeeded, for a retrier that keeps a budget.
  ///
  /// It must be quick. Default: does nothing.
  func didSucceed(_ request: OutgoingRequest)

  /// Whether the retrier may retry a request because one of its serializers has failed.
  ///
  /// If this is `false` for all retriers of a request, its serializers run after the request, and no retrier is called
  /// for their failures.
  ///
  /// Default: `true`.
  var decidesAboutSerializers: Bool { get }
}

extension Retrier {
  /// Returns `true`.
  public var decidesAboutSerializers: Bool { true }

  /// Does nothing.
  public func didSucceed(_ request: OutgoingRequest) {}
}

/// The answer of a retrier.
public enum RetryDecision: Sendable {
  /// Send the request again at once.
  case retry
  /// Send the request again after this delay, on the session's clock.
  case retryAfter(Duration)
  /// Keep the failure, unless a later retrier decides otherwise.
  case doNotRetry
  /// End the request with this error.
  ///
  /// The failure becomes its `underlying` error, unless it already has one.
  case fail(LupineError)

  /// Send the request again after this delay, on the session's clock.
  public static func retry(after delay: Duration) -> RetryDecision { .retryAfter(delay) }
}

/// An attempt that failed: there was no response, its validation failed, or a serializer failed.
public struct AttemptOutcome: Sendable {
  /// The request at the start of the attempt, after the adapters.
  public var request: OutgoingRequest
  /// The request that was sent last.
  ///
  /// It differs from `request` after a redirect.
  public var lastRequest: OutgoingRequest
  /// The redirects that were followed.
  public var redirects: [RedirectStep]
  /// The number of this attempt, from 1.
  ///
  /// It counts the retries of all retriers.
  public var number: Int
  /// The number of retries of this request that this retrier has granted so far.
  public var retries: Int
  /// The head of the response, if one arrived.
  public var response: HTTPResponse?
  /// The sender of the response: the server, or a proxy that refused the connection.
  public var source: TransportResponse.Source
  /// The reason for the failure; `nil` for a status of 400 or above that no validator has refused.
  public var error: LupineError?
  /// Whether `error` is the error of a serializer: the response arrived completely and no validator refused it.
  ///
  /// A serializer may throw a `LupineError` of any kind, such as `connectionLost`, so `error` alone does not show it.
  public var failedInSerializer: Bool
  /// The session's random source for jitter: a number in 0..<1; may be called from any thread.
  public var random: @Sendable () -> Double
  /// The time since the request began.
  public var elapsed: Duration
  /// The session's clock, for a retrier that waits.
  public var clock: any Clock<Duration>
  /// The current date of the session, to compare with dates in header fields.
  public var date: Date
  /// Records the reason for the decision, in a few words without secrets.
  ///
  /// The event of the decision contains it. It may be called from any thread, until the retrier has answered.
  public var note: @Sendable (String) -> Void
  /// The session's retry budget, for a retrier without a budget of its own; `nil` outside a session.
  public var sessionBudget: RetryBudget?

  /// Describes an attempt.
  ///
  /// - Parameters:
  ///   - retries: the number of retries that the retrier has granted. Default: `number - 1`.
  ///   - failedInSerializer: whether `error` is the error of a serializer. Default: false.
  public init(
    request: OutgoingRequest, lastRequest: OutgoingRequest? = nil, redirects: [RedirectStep] = [], number: Int,
    retries: Int? = nil, response: HTTPResponse?, source: TransportResponse.Source = .origin, error: LupineError?,
    failedInSerializer: Bool = false, elapsed: Duration = .zero, clock: any Clock<Duration> = ContinuousClock(),
    date: Date = Date(),
    random: @escaping @Sendable () -> Double = { 0.5 }, note: @escaping @Sendable (String) -> Void = { _ in },
    sessionBudget: RetryBudget? = nil
  ) {
    self.request = request
    self.lastRequest = lastRequest ?? request
    self.redirects = redirects
    self.number = number
    self.retries = retries ?? number - 1
    self.response = response
    self.source = source
    self.error = error
    self.failedInSerializer = failedInSerializer
    self.elapsed = elapsed
    self.clock = clock
    self.date = date
    self.random = random
    self.note = note
    self.sessionBudget = sessionBudget
  }

  /// Whether a redirect led to another origin.
  ///
  /// The request's secrets are not sent to another origin.
  public var hasLeftOrigin: Bool {
    let origin = request.url.origin
    return lastRequest.url.origin != origin || redirects.contains { $0.request.url.origin != origin }
  }
}

extension AttemptOutcome: HidesSecrets {
  /// The request, the number of the attempt, and the status or the error.
  public var description: String {
    let end = error?.message ?? response.map { "status \($0.status.code)" } ?? "no response"
    return "attempt \(number) of \(request.summary): \(end)"
  }
}
