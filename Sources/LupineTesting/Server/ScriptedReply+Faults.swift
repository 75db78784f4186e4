/// Faults of the connection: it ends or falls silent where it should not.
extension ScriptedReply {
  /// A TCP reset after the request, before a byte of an answer.
  public static var resetBeforeHead: Self { [.reset] }

  /// A TCP reset right after the head, which promises 5 bytes.
  public static var resetAfterHead: Self { resetAtByte(0, of: .text("hello")) }

  /// A TCP reset after the first `count` bytes of a body whose whole length the head gives.
  public static func resetAtByte(_ count: Int, of body: ScriptedBody) -> Self {
    cut(body, at: count, then: .reset)
  }

  /// An orderly end of the connection after the request, before a byte of an answer.
  public static var closeBeforeHead: Self { [.close] }

  /// An orderly end of the connection after the first `count` bytes of a body whose whole length the head gives.
  public static func closeAtByte(_ count: Int, of body: ScriptedBody) -> Self {
    cut(body, at: count, then: .close)
  }

  /// Silence after the request.
  public static var stallBeforeHead: Self { [.stall] }

  /// Silence right after the head, which promises 5 bytes.
  public static var stallAfterHead: Self { stallAtByte(0, of: .text("hello")) }

  /// Silence after the first `count` bytes of a body whose whole length the head gives.
  public static func stallAtByte(_ count: Int, of body: ScriptedBody) -> Self {
    cut(body, at: count, then: .stall)
  }

  /// A body that ends, with the connection, before the length that the head declares.
  public static func truncated(declared: Int, sent: Int) -> Self {
    [
      .head(status: 200, fields: ["Content-Length": String(declared)]),
      .body(ScriptedBody.filler(sent).bytes), .close,
    ]
  }

  /// A chunked body whose connection ends in order after the chunks, without the last one.
  public static func truncatedChunks(_ chunks: [[UInt8]]) -> Self {
    Self([.head(status: 200, fields: ["Transfer-Encoding": "chunked"])] + chunks.map { .chunk($0) } + [.close])
  }

  /// A whole response of which each byte of the body is a write of its own.
  public static func dribble(_ body: ScriptedBody) -> Self {
    [.head(status: 200, fields: ["Content-Length": String(body.bytes.count)]), .drip(body.bytes)]
  }

  private static func cut(_ body: ScriptedBody, at count: Int, then end: Step) -> Self {
    [
      .head(status: 200, fields: ["Content-Length": String(body.bytes.count)]),
      .body(Array(body.bytes.prefix(max(0, count)))), end,
    ]
  }
}
