/// What a read brought.
public enum BodyRead: Sendable, Hashable {
  /// So many bytes at the buffer's front; at least one.
  case bytes(Int)
  /// None yet; the reader will call back.
  case pending
  /// The body is complete.
  case end
}
