public import HTTPTypes
import LupineSupport

/// An event of a request, or a decision with its reason.
public struct SessionEvent: Sendable {
  /// The request of the event.
  public let request: RequestID
  /// The number of the attempt, from 1; 0 before the first.
  public let attempt: Int
  /// The time since the creation of the session, on its clock.
  public let time: Duration
  /// The kind of the event, with its values.
  public let kind: Kind

  /// Describes an event.
  public init(request: RequestID, attempt: Int, time: Duration, kind: Kind) {
    self.request = request
    self.attempt = attempt
    self.time = time
    self.kind = kind
  }

  /// The kind of an event.
  ///
  /// More cases may be added; a `switch` over it needs a `default`.
  public enum Kind: Sendable {
    /// The request began.
    case started(RequestSummary)
    /// An adapter changed the request to this one; `by` is the name of its type.
    case adapted(RequestSummary, by: String)
    /// An attempt begins with this request, as the adapters returned it.
    case attempting(RequestSummary)
    /// An exchange of the attempt begins: the first, or one after a redirect or a challenge.
    case sending(RequestSummary, SentFields)
    /// The exchange failed with this error, and the session repeats it within the same attempt.
    ///
    /// The reason is that the server has not processed the request, or that a reused connection was lost before the
    /// response began.
    case resending(after: LupineError, reason: String)
    /// The exchange waits for a connection or for a name lookup, for this reason.
    case queued(reason: String)
    /// The name of the host or of the proxy was resolved this long after the exchange began.
    case nameResolved(host: String, after: Duration)
    /// The exchange has a connection, new or reused.
    case connected(address: String, isReused: Bool)
    /// A proxy opened a tunnel to the server with this response (RFC 9110 section 9.3.6).
    case tunnelled(HTTPResponse)
    /// The TLS handshake of the new connection is complete.
    case secured(TLSDetails)
    /// The whole request was written to the connection, with a body of this many bytes.
    case sent(bytes: Int64)
    /// There is a risk, such as a server that is trusted without verification; the exchange continues.
    case warning(String)
    /// An interim (1xx) response arrived.
    case informational(HTTPResponse)
    /// The final head arrived.
    ///
    /// Secret fields are redacted.
    case head(HTTPResponse)
    /// Trailers arrived after the body.
    ///
    /// Secret fields are redacted.
    case trailers(HTTPFields)
    /// The body arrived completely and the exchange ended without an error.
    ///
    /// A redirect also ends this way.
    case received(bytes: Int64, TransferMetrics)
    /// The exchange failed.
    ///
    /// The attempt fails with it, unless its response had already led to another exchange.
    case failed(LupineError)
    /// A download continues from this byte, or starts again if it is `nil`, for this reason.
    case continued(from: Int64?, reason: String)
    /// A redirect is followed to this URL, or not, for this reason.
    case redirected(to: String, isFollowed: Bool, reason: String)
    /// A 401, or a 407 of a proxy, was answered with a credential, or not, for this reason.
    case challenged(isAnswered: Bool, reason: String)
    /// The response passed validation, or failed it with this error.
    case validated(LupineError?)
    /// The request will be sent again after this delay, or not, for this reason.
    case retrying(after: Duration?, reason: String)
    /// A policy such as a circuit breaker made a decision about an exchange, for this reason.
    case decided(policy: String, reason: String)
    /// The request was suspended.
    case suspended
    /// The request was resumed.
    case resumed
    /// The request is over.
    case finished(LupineError?)
    /// A serializer returned a value of this type after this time, or failed with this error.
    ///
    /// The response of one request may be serialized any number of times. The event comes after `finished`, except if
    /// a retrier can decide about a failure: then it comes before, in each attempt.
    case serialized(into: String, after: Duration, LupineError?)
  }
}

extension SessionEvent: CustomStringConvertible {
  /// The request, the attempt, the time and the kind, on one line, without secrets.
  public var description: String {
    let place = attempt > 0 ? "\(request) attempt \(attempt)" : "\(request)"
    return "\(place) +\(time.milliseconds) \(kind)"
  }
}

extension SessionEvent.Kind: CustomStringConvertible {
  /// The kind on one line, without secrets.
  public var description: String {
    switch self {
    case .started(let request): "started \(request)"
    case .adapted(let request, let adapter): "adapted by \(adapter): \(request)"
    case .attempting(let request): "attempting \(request)"
    case .sending(let request, _): "sending \(request)"
    case .resending(_, let reason): "sending again: \(reason)"
    case .queued(let reason): "queued: \(reason)"
    case .nameResolved(let host, let time): "resolved \(host) after \(time.milliseconds)"
    case .connected(let address, let isReused): "connected to \(address)\(isReused ? " (reused)" : "")"
    case .tunnelled(let head): "the proxy opened a tunnel with status \(head.status.code)"
    case .secured(let tls): "secured by \(tls.version), \(tls.cipher)"
    case .sent(let bytes): "sent, \(bytes) bytes of body"
    case .warning(let text): "warning: \(text)"
    case .informational(let head): "interim status \(head.status.code)"
    case .head(let head): "status \(head.status.code)"
    case .trailers(let fields): "trailers: \(fields.map(\.name.rawName).joined(separator: ", "))"
    case .received(let bytes, let metrics): "received \(bytes) bytes: \(metrics)"
    case .failed(let error): "failed: \(error)"
    case .continued(let offset, let reason):
      (offset.map { "continuing from byte \($0): " } ?? "restarting: ") + reason
    case .redirected(let target, let isFollowed, let reason):
      "redirected to \(target), \(isFollowed ? "followed" : "not followed"): \(reason)"
    case .challenged(let isAnswered, let reason):
      "\(isAnswered ? "answering" : "not answering") the challenge: \(reason)"
    case .validated(let error): error.map { "refused: \($0)" } ?? "validated"
    case .retrying(let delay, let reason):
      (delay.map { "retrying after \($0.milliseconds): " } ?? "not retrying: ") + reason
    case .decided(let policy, let reason): "the \(policy) \(reason)"
    case .suspended: "suspended"
    case .resumed: "resumed"
    case .finished(let error): error.map { "finished: \($0)" } ?? "finished"
    case .serialized(let type, let time, let error):
      error.map { "not serialized into \(type): \($0)" } ?? "serialized into \(type) in \(time.milliseconds)"
    }
  }
}
