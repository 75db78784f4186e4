import LupineCore

extension SessionEvent.Kind {
  /// Redacts the values of secret fields.
  mutating func redact(_ secrets: SecretFields) {
    switch self {
    case .head(let head): self = .head(head.redacted(secrets))
    case .informational(let head): self = .informational(head.redacted(secrets))
    case .tunnelled(let head): self = .tunnelled(head.redacted(secrets))
    case .trailers(let fields): self = .trailers(secrets.redact(fields))
    case .failed(let error): self = .failed(error.redacted(secrets))
    case .resending(let error, let reason): self = .resending(after: error.redacted(secrets), reason: reason)
    case .validated(let error?): self = .validated(error.redacted(secrets))
    case .finished(let error?): self = .finished(error.redacted(secrets))
    default: break
    }
  }
}
