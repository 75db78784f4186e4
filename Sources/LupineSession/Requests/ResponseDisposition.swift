/// Whether a response is wanted whose head has arrived.
public enum ResponseDisposition: Sendable, Hashable {
  /// The body is received.
  case allow
  /// The request ends with kind `cancelled`; its body is not received.
  case cancel
}
