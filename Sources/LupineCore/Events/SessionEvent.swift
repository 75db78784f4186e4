public import HTTPTypes

/// One thing that happened to a request, or one decision with its reason.
public struct SessionEvent: Sendable {
  /// The request it happened to.
  public let request: RequestID
  /// During which attempt, from 1; 0 before the first.
  public let attempt: Int
  /// When, counted from the session's making on its clock.
  public let time: Duration
  /// What happened.
  public let kind: Kind

  /// Describes an event.
  public init(request: RequestID, attempt: Int, time: Duration, kind: Kind) {
    self.request = request
    self.attempt = attempt
    self.time = time
    self.kind = kind
  }

  /// What happened.
  ///
  /// More cases may come; a `switch` over it keeps a `default`.
  public enum Kind: Sendable {
    /// The request began.
    case started(RequestSummary)
    /// An attempt begins with this request, after the adapters.
    case attempting(RequestSummary)
    /// An exchange of the attempt begins: its first, or one that a redirect or a challenge led to.
    case sending(RequestSummary)
    /// The exchange waits for a free connection.
    case queued
    /// The exchange has a connection, new or used before.
    case connected(address: String, isReused: Bool)
    /// Something is risky, such as a server that is trusted without being verified; the exchange goes on.
    case warning(String)
    /// An interim (1xx) response arrived.
    case informational(HTTPResponse)
    /// The final head arrived; secret fields are redacted.
    case head(HTTPResponse)
    /// The exchange ended well.
    case received(bytes: Int64, TransferMetrics)
    /// The exchange failed.
    case failed(LupineError)
    /// A redirect is followed to this URL, or not, for this reason.
    case redirected(to: String, isFollowed: Bool, reason: String)
    /// A 401 was answered with a credential, or not, for this reason.
    case challenged(isAnswered: Bool, reason: String)
    /// The response was validated, or refused with this error.
    case validated(LupineError?)
    /// The request will be sent again after this long, or not, for this reason.
    case retrying(after: Duration?, reason: String)
    /// A policy such as a circuit breaker decided something about an exchange, for this reason.
    case decided(policy: String, reason: String)
    /// The request was suspended.
    case suspended
    /// The request was resumed.
    case resumed
    /// The request is over.
    case finished(LupineError?)
  }
}
