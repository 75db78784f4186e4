public import LupineMock

extension ScriptedReply {
  /// The reply in which a fault of the common vocabulary happens, as the mock plays it.
  ///
  /// `nil` for those that no reply can play, because they happen before a request is answered; ``FaultServer`` plays them
  /// all. The server keeps no time, so a dribble is as fast as the line.
  ///
  /// - Parameters:
  ///   - fault: what happens.
  ///   - body: what would have been the content; a fault beyond its end happens at its end.
  public init?(_ fault: NetworkFault, of body: ScriptedBody = .text("hello")) {
    switch fault {
    case .hostNotFound, .connectionRefused, .networkUnreachable, .tlsRefused, .connectionStalled, .goAway: return nil
    case .resetBeforeHead: self = .resetBeforeHead
    case .stallBeforeHead: self = .stallBeforeHead
    case .reset(let count): self = .reset(afterBytes: count, of: body)
    case .stall(let count): self = .stall(afterBytes: count, of: body)
    case .truncated(let count): self = .truncated(afterBytes: count, of: body)
    case .dribble: self = .dribble(body)
    case .malformedChunk: self = .malformedChunk()
    case .doubledLength: self = .doubledContentLength(body.bytes.count, body.bytes.count + 1)
    case .oversizedField(let count):
      self = .respond(fields: ["X-Oversized": String(repeating: "a", count: max(0, count))], body: body)
    case .compressedBomb(let count):
      self = .respond(
        fields: ["Content-Encoding": "deflate"], body: .bytes(Array(CompressedBomb.data(decodedBytes: count))))
    }
  }
}
