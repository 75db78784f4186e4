/// A peer's reaction to one request.
public enum PeerReply: Sendable {
  /// A response, which may end too early.
  case response(PeerResponse)
  /// The connection ends before any byte of a response.
  case end(PeerEnding)
  /// Bytes and steps that require a connection; checks that use this case need `networking`.
  case wire(ScriptedReply)
}
