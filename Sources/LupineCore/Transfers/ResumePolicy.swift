/// What happens when the rest of an interrupted download cannot be had.
public enum ResumePolicy: Sendable, Hashable {
  /// The download begins anew.
  case restart
  /// The download fails with kind `resumeFailed`.
  case fail
}
