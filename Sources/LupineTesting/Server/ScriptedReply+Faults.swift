public import LupineDoubles

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
    let stated = max(body.bytes.count, sent.count + 1)
    return [.head(status: 200, fields: ["Content-Length": String(stated)]), .body(Array(sent)), end]
  }
}

extension ScriptedReply {
  /// Creates a reply that produces a fault in the same way as the mock.
  ///
  /// It is `nil` for a fault that happens before the server answers a request; ``FaultServer`` produces all faults. The
  /// server does not delay bytes, so a dribble is not slow. A fault in the request's body needs a server that does not
  /// read bodies by itself.
  ///
  /// - Parameters:
  ///   - fault: the fault.
  ///   - body: the complete content; a fault at a position beyond its end happens at its end.
  public init?(_ fault: NetworkFault, of body: ScriptedBody = .text("hello")) {
    switch fault {
    case .hostNotFound, .connectionRefused, .networkUnreachable, .tlsRefused, .connectionStalled, .goAway: return nil
    case .resetBeforeHead: self = .resetBeforeHead
    case .resetInRequest(let count): self = [.readBody(upTo: max(0, count)), .reset]
    case .stallBeforeHead: self = .stallBeforeHead
    case .reset(let count): self = .reset(afterBytes: count, of: body)
    case .stall(let count): self = .stall(afterBytes: count, of: body)
    case .truncated(let count): self = .truncated(afterBytes: count, of: body)
    case .dribble: self = .dribble(body)
    case .malformedChunk: self = .malformedChunk()
    case .doubledLength: self = .doubledContentLength(body.bytes.count, body.bytes.count + 1)
    case .oversizedField(let count):
      self = .respond(fields: ["X-Oversized": String(repeating: "a", count: min(max(0, count), 64 << 20))], body: body)
    case .compressedBomb(let count):
      self = .respond(
        fields: ["Content-Encoding": "deflate"], body: .bytes(Array(CompressedBomb.data(decodedBytes: count))))
    }
  }
}

/// Faults of the message, which violates RFC 9112.
///
/// Each of these contains a complete response for a lenient client if that is possible, so that leniency shows as a
/// success.
extension ScriptedReply {
  /// A chunk `hello` with a chosen size line, such as `zz`, which is no number, or `0x5`, `5 g` or `+5`, which some
  /// parsers accept.
  public static func malformedChunk(size: String = "zz") -> Self {
    verbatim("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(size)\r\nhello\r\n0\r\n\r\n")
  }

  /// Two `Content-Length` fields, and as many bytes as the greater one states.
  public static func doubledContentLength(_ first: Int, _ second: Int) -> Self {
    Self(
      [
        .head(
          status: 200, fields: ["Content-Length": String(first), "Content-Length": String(second)]),
        .body(ScriptedBody.filler(max(first, second, 0)).bytes),
      ], connection: .keep)
  }

  /// A `Content-Length` field with any value, and the body `hello`.
  public static func contentLength(_ value: String) -> Self {
    verbatim("HTTP/1.1 200 OK\r\nContent-Length: \(value)\r\n\r\nhello")
  }

  /// `Content-Length: 5` together with `Transfer-Encoding: chunked`, and the chunk `hello`.
  public static var contentLengthWithChunked: Self {
    verbatim("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
  }

  /// One field with a value of `count` bytes, in an otherwise valid response without content.
  public static func oversizedField(bytes count: Int) -> Self {
    let block = ScriptedBody.filler(4096).bytes
    let count = max(0, count)
    return Self(
      [
        .raw(text: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-Oversized: "),
        .repeat(block, count: count / block.count), .raw(Array(block.prefix(count % block.count))),
        .raw(text: "\r\n\r\n"),
      ], connection: .keep)
  }

  /// A head that never ends.
  public static var endlessFields: Self {
    [.raw(text: "HTTP/1.1 200 OK\r\n"), .repeat(Array("X-Endless: again and again\r\n".utf8))]
  }

  /// An endless sequence of interim responses (103).
  public static var endlessInformational: Self {
    [.repeat(Array("HTTP/1.1 103 Early Hints\r\n\r\n".utf8))]
  }

  /// Trailers that never end, after the chunk `hello`.
  public static var endlessTrailers: Self {
    [
      .raw(text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n"),
      .repeat(Array("X-Endless: again and again\r\n".utf8)),
    ]
  }

  /// A chunk extension that never ends.
  public static var endlessChunkExtension: Self {
    [
      .raw(text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5"),
      .repeat(Array(";again=and-again".utf8)),
    ]
  }

  /// A chunked body that never ends.
  public static var endlessBody: Self {
    let chunk = "1000\r\n" + String(repeating: "a", count: 4096) + "\r\n"
    return [
      .raw(text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), .repeat(Array(chunk.utf8)),
    ]
  }

  /// A response whose lines end in LF without CR.
  public static var bareLineFeeds: Self {
    verbatim("HTTP/1.1 200 OK\nContent-Length: 5\n\nhello")
  }

  /// A field whose value continues on the next line, after a space (RFC 9112 section 5.2).
  public static var obsoleteFold: Self {
    verbatim("HTTP/1.1 200 OK\r\nX-Folded: one\r\n two\r\nContent-Length: 5\r\n\r\nhello")
  }

  /// Bytes that are not HTTP, then the end of the connection.
  public static var garbage: Self {
    [.raw(Array(0..<32) + Array("\r\nThis is no response.\r\n\r\n".utf8)), .close]
  }

  /// A text without changes; the connection stays open.
  public static func verbatim(_ text: String) -> Self {
    Self([.raw(text: text)], connection: .keep)
  }
}
