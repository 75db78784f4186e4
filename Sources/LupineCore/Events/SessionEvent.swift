public import HTTPTypes
import LupineSupport

/// One thing that happened to a request, or one decision with its reason.
public struct SessionEvent: Sendable {
  /// The request it happened to.
  public let request: RequestID
  /// During which attempt, from 1; 0 before the first.
  public let attempt: Int
  /// When, counted from the session's making on its clock.
  public let time: Duration
  /// What happened.
  public var kind: Kind { storage.value }

  /// Behind one pointer, since an event goes through many hands and its largest kinds are rare.
  private let storage: CopyOnWrite<Kind>

  /// Describes an event.
  public init(request: RequestID, attempt: Int, time: Duration, kind: Kind) {
    self.request = request
    self.attempt = attempt
    self.time = time
    storage = CopyOnWrite(kind)
  }

  /// What happened.
  ///
  /// More cases may come; a `switch` over it keeps a `default`.
  public enum Kind: Sendable {
    /// The request began.
    case started(RequestSummary)
    /// An adapter, named by its type, has made this request of the one before.
    case adapted(RequestSummary, by: String)
    /// An attempt begins with this request, after the adapters.
    case attempting(RequestSummary)
    /// An exchange of the attempt begins: its first, or one that a redirect or a challenge led to.
    case sending(RequestSummary)
    /// The exchange failed with this error, and the session makes it again within the same attempt, for this reason: the
    /// server has not processed the request, or a kept connection was lost before the response began.
    case resending(after: LupineError, reason: String)
    /// The exchange waits for a free connection, or for its host's name to be looked up, for this reason.
    case queued(reason: String)
    /// The name of the host, or of the proxy, has been looked up, so long after the exchange began.
    case nameResolved(host: String, after: Duration)
    /// The exchange has a connection, new or used before.
    case connected(address: String, isReused: Bool)
    /// A proxy has opened a tunnel to the server, with this answer (RFC 9110 section 9.3.6).
    case tunnelled(HTTPResponse)
    /// The new connection has been secured.
    case secured(TLSDetails)
    /// The request has been handed to the connection to its end, its body of so many bytes included.
    case sent(bytes: Int64)
    /// Something is risky, such as a server that is trusted without being verified; the exchange goes on.
    case warning(String)
    /// An interim (1xx) response arrived.
    case informational(HTTPResponse)
    /// The final head arrived; secret fields are redacted.
    case head(HTTPResponse)
    /// Trailers arrived behind the body; secret fields are redacted.
    case trailers(HTTPFields)
    /// The body has arrived to its end, and the exchange ended well; also one that led to another, as a redirect does.
    case received(bytes: Int64, TransferMetrics)
    /// The exchange failed, and with it the attempt, unless its response had led to another already.
    case failed(LupineError)
    /// A download goes on from this byte, or begins anew where it is `nil`, for this reason.
    case continued(from: Int64?, reason: String)
    /// A redirect is followed to this URL, or not, for this reason.
    case redirected(to: String, isFollowed: Bool, reason: String)
    /// A 401, or a proxy's 407, was answered with a credential, or not, for this reason.
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
    /// A serializer made a value of this type in so long, or failed with this error.
    ///
    /// It comes after `finished`: one request's response may be serialized any number of times.
    case serialized(into: String, after: Duration, LupineError?)
  }
}
