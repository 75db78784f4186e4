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
