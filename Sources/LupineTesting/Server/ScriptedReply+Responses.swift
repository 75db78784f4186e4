extension ScriptedReply {
  /// A whole response with a `Content-Length`, which 1xx, 204 and 304 go without.
  ///
  /// A `Content-Length` or `Transfer-Encoding` among `fields` is left as it is, and none is added.
  public static func respond(status: Int = 200, fields: RawFields = [:], body: ScriptedBody = .none) -> Self {
    var fields = fields
    let isFramed = fields["Content-Length"] != nil || fields["Transfer-Encoding"] != nil
    if !isFramed, allowsContent(status) { fields.append("Content-Length", String(body.bytes.count)) }
    return [.head(status: status, fields: fields), .body(body.bytes)]
  }

  /// A whole response with a JSON text, unchecked, and its `Content-Type`.
  public static func json(_ text: String, status: Int = 200) -> Self {
    respond(status: status, fields: ["Content-Type": "application/json"], body: .text(text))
  }

  /// A whole response in chunks, one for each array.
  ///
  /// An empty array is left out, because it would end the body.
  public static func chunked(
    status: Int = 200, fields: RawFields = [:], _ chunks: [[UInt8]], trailers: RawFields = [:]
  ) -> Self {
    var fields = fields
    fields.append("Transfer-Encoding", "chunked")
    let pieces = chunks.filter { !$0.isEmpty }.map { Step.chunk($0) }
    return Self([.head(status: status, fields: fields)] + pieces + [.endChunks(trailers: trailers)])
  }

  /// A whole response of any size without memory for it: `bytes`, `count` times.
  public static func repeating(_ bytes: [UInt8], count: Int, fields: RawFields = [:]) -> Self {
    var fields = fields
    fields.append("Content-Length", String(bytes.count * count))
    return [.head(status: 200, fields: fields), .repeat(bytes, count: count)]
  }

  /// A response whose end is the end of the connection.
  public static func untilClose(status: Int = 200, fields: RawFields = [:], body: ScriptedBody) -> Self {
    Self([.head(status: status, fields: fields), .body(body.bytes)], connection: .close)
  }

  /// A reply with bytes after its end, at once or when a gate opens; the connection stays open.
  ///
  /// A client must not take them for the answer to its next request.
  public static func surplusAfter(_ reply: ScriptedReply, _ bytes: [UInt8], gate: Gate? = nil) -> Self {
    let pause = gate.map { [Step.wait($0)] } ?? []
    return Self(reply.steps + pause + [.raw(bytes)], connection: .keep)
  }
}

private func allowsContent(_ status: Int) -> Bool {
  status >= 200 && status != 204 && status != 304
}
