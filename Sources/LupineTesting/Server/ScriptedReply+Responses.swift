extension ScriptedReply {
  /// A complete response with a `Content-Length`, except for 1xx, 204 and 304.
  ///
  /// If `fields` contain a `Content-Length` or a `Transfer-Encoding`, no field is added.
  public static func respond(status: Int = 200, fields: RawFields = [:], body: ScriptedBody = .none) -> Self {
    var fields = fields
    let isFramed = fields["Content-Length"] != nil || fields["Transfer-Encoding"] != nil
    if !isFramed, allowsContent(status) { fields.append("Content-Length", String(body.bytes.count)) }
    return [.head(status: status, fields: fields), .body(body.bytes)]
  }

  /// A complete response with a JSON text, which is not validated, and its `Content-Type`.
  public static func json(_ text: String, status: Int = 200) -> Self {
    respond(status: status, fields: ["Content-Type": "application/json"], body: .text(text))
  }

  /// A complete chunked response, with one chunk for each array.
  ///
  /// An empty array is omitted, because it would end the body.
  public static func chunked(
    status: Int = 200, fields: RawFields = [:], _ chunks: [[UInt8]], trailers: RawFields = [:]
  ) -> Self {
    var fields = fields
    fields.append("Transfer-Encoding", "chunked")
    let pieces = chunks.filter { !$0.isEmpty }.map { Step.chunk($0) }
    return Self([.head(status: status, fields: fields)] + pieces + [.endChunks(trailers: trailers)])
  }

  /// A complete response with `bytes`, repeated `count` times, in constant memory.
  public static func repeating(_ bytes: [UInt8], count: Int, fields: RawFields = [:]) -> Self {
    var fields = fields
    fields.append("Content-Length", String(bytes.count * count))
    return [.head(status: 200, fields: fields), .repeat(bytes, count: count)]
  }

  /// A response whose body ends with the connection.
  public static func untilClose(status: Int = 200, fields: RawFields = [:], body: ScriptedBody) -> Self {
    Self([.head(status: status, fields: fields), .body(body.bytes)], connection: .close)
  }

  /// A reply with bytes after its end, sent at once or after a gate opens; the connection stays open.
  ///
  /// A client must not treat them as the response to its next request.
  public static func surplusAfter(_ reply: ScriptedReply, _ bytes: [UInt8], gate: Gate? = nil) -> Self {
    let pause = gate.map { [Step.wait($0)] } ?? []
    return Self(reply.steps + pause + [.raw(bytes)], connection: .keep)
  }
}

private func allowsContent(_ status: Int) -> Bool {
  status >= 200 && status != 204 && status != 304
}
