/// Faults of the connection, by the names of `NetworkFault` where that has them.
///
/// It ends or falls silent where it should not. A fault beyond the end of a body happens at its end, and the head tells
/// one byte more.
extension ScriptedReply {
  /// A TCP reset after the request, before a byte of an answer.
  public static var resetBeforeHead: Self { [.reset] }

  /// A TCP reset once so many bytes of the body have been sent.
  public static func reset(afterBytes count: Int, of body: ScriptedBody = .text("hello")) -> Self {
    broken(body, after: count, by: .reset)
  }

  /// An orderly end of the connection after the request, before a byte of an answer.
  public static var closeBeforeHead: Self { [.close] }

  /// An orderly end of the connection once so many bytes of the body have been sent, fewer than the head tells.
  public static func truncated(afterBytes count: Int, of body: ScriptedBody = .text("hello")) -> Self {
    broken(body, after: count, by: .close)
  }

  /// Silence after the request.
  public static var stallBeforeHead: Self { [.stall] }

  /// Silence once so many bytes of the body have been sent.
  public static func stall(afterBytes count: Int, of body: ScriptedBody = .text("hello")) -> Self {
    broken(body, after: count, by: .stall)
  }

  /// A chunked body whose connection ends in order after the chunks, without the last one.
  public static func truncatedChunks(_ chunks: [[UInt8]]) -> Self {
    Self([.head(status: 200, fields: ["Transfer-Encoding": "chunked"])] + chunks.map { .chunk($0) } + [.close])
  }

  /// A whole response of which each byte of the body is a write of its own.
  public static func dribble(_ body: ScriptedBody) -> Self {
    [.head(status: 200, fields: ["Content-Length": String(body.bytes.count)]), .drip(body.bytes)]
  }

  private static func broken(_ body: ScriptedBody, after count: Int, by end: Step) -> Self {
    let sent = body.bytes.prefix(max(0, count))
    let told = max(body.bytes.count, sent.count + 1)
    return [.head(status: 200, fields: ["Content-Length": String(told)]), .body(Array(sent)), end]
  }
}
