import HTTPTypes
import LupineSupport

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
