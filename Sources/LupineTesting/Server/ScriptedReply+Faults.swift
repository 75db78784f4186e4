/// Faults of the connection, with the names of `NetworkFault` if it has them.
///
/// The connection ends or stalls too early. A fault at a position beyond the end of a body happens at its end, and
/// `Content-Length` is then one byte more than the body.
extension ScriptedReply {
  /// A TCP reset after the request, before any byte of a response.
  public static var resetBeforeHead: Self { [.reset] }

  /// A TCP reset after `count` bytes of the body.
  public static func reset(afterBytes count: Int, of body: ScriptedBody = .text("hello")) -> Self {
    broken(body, after: count, by: .reset)
  }

  /// An orderly end of the connection after the request, before any byte of a response.
  public static var closeBeforeHead: Self { [.close] }

  /// An orderly end of the connection after `count` bytes of the body, fewer than `Content-Length` states.
  public static func truncated(afterBytes count: Int, of body: ScriptedBody = .text("hello")) -> Self {
    broken(body, after: count, by: .close)
  }

  /// No response: the connection stays open and silent.
  public static var stallBeforeHead: Self { [.stall] }

  /// A stall after `count` bytes of the body.
  public static func stall(afterBytes count: Int, of body: ScriptedBody = .text("hello")) -> Self {
    broken(body, after: count, by: .stall)
  }

  /// A chunked body that ends with the connection, without the last chunk.
  public static func truncatedChunks(_ chunks: [[UInt8]]) -> Self {
    Self([.head(status: 200, fields: ["Transfer-Encoding": "chunked"])] + chunks.map { .chunk($0) } + [.close])
  }

  /// A complete response that sends each byte of the body in a separate write.
  public static func dribble(_ body: ScriptedBody) -> Self {
    [.head(status: 200, fields: ["Content-Length": String(body.bytes.count)]), .drip(body.bytes)]
  }

  private static func broken(_ body: ScriptedBody, after count: Int, by end: Step) -> Self {
    let sent = body.bytes.prefix(max(0, count))
    let told = max(body.bytes.count, sent.count + 1)
    return [.head(status: 200, fields: ["Content-Length": String(told)]), .body(Array(sent)), end]
  }
}
