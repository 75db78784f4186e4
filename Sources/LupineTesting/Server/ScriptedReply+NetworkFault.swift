public import LupineMock

extension ScriptedReply {
  /// Creates a reply that produces a fault in the same way as the mock.
  ///
  /// It is `nil` for a fault that happens before the server answers a request; ``FaultServer`` produces all faults. The
  /// server does not delay bytes, so a dribble is not slow.
  ///
  /// - Parameters:
  ///   - fault: the fault.
  ///   - body: the complete content; a fault at a position beyond its end happens at its end.
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
