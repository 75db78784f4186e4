/// The way in which a peer's reply ends.
public enum PeerEnding: Sendable, Hashable {
  /// The reply is complete according to its framing.
  case complete
  /// The connection closes in an orderly way before the end of the reply.
  case close
  /// The connection is reset before the end of the reply.
  case reset
}
