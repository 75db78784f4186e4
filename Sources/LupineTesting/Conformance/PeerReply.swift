/// What a peer does with one request.
public enum PeerReply: Sendable {
  /// A response, which may break off.
  case response(PeerResponse)
  /// The connection ends without a byte of an answer.
  case end(PeerEnding)
  /// Bytes and steps that only a connection can carry; checks that use it need `networking`.
  case wire(ScriptedReply)
}
