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

extension SessionEvent: CustomStringConvertible {
  /// The request, the attempt, the time and what happened, on one line, without secrets.
  public var description: String {
    let place = attempt > 0 ? "\(request) attempt \(attempt)" : "\(request)"
    return "\(place) +\(time.milliseconds) \(kind)"
  }
}

extension SessionEvent.Kind: CustomStringConvertible {
  /// What happened, on one line, without secrets.
  public var description: String {
    switch self {
    case .started(let request): "started \(request)"
    case .adapted(let request, let adapter): "adapted by \(adapter): \(request)"
    case .attempting(let request): "attempting \(request)"
    case .sending(let request): "sending \(request)"
    case .resending(_, let reason): "sending again: \(reason)"
    case .queued(let reason): "queued: \(reason)"
    case .nameResolved(let host, let time): "resolved \(host) after \(time.milliseconds)"
    case .connected(let address, let isReused): "connected to \(address)\(isReused ? ", again" : "")"
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
      (offset.map { "going on from byte \($0): " } ?? "beginning anew: ") + reason
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

  /// Whether it tells of a request's own life, which a connection of it leaves to it.
  package var isOfWholeRequest: Bool {
    switch self {
    case .started, .finished: true
    default: false
    }
  }

  /// Takes the values of secret fields away.
  package mutating func redact(_ secrets: SecretFields) {
    switch self {
    case .head(let head): self = .head(head.redacted(secrets))
    case .informational(let head): self = .informational(head.redacted(secrets))
    case .tunnelled(let head): self = .tunnelled(head.redacted(secrets))
    case .trailers(let fields): self = .trailers(secrets.redact(fields))
    case .failed(let error): self = .failed(error.hiding(secrets))
    case .resending(let error, let reason): self = .resending(after: error.hiding(secrets), reason: reason)
    case .validated(let error?): self = .validated(error.hiding(secrets))
    case .finished(let error?): self = .finished(error.hiding(secrets))
    default: break
    }
  }
}
