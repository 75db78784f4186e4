/// How a peer's reply ends.
public enum PeerEnding: Sendable, Hashable {
  /// As its framing says.
  case complete
  /// In order, but before its time.
  case close
  /// With a reset.
  case reset
}
