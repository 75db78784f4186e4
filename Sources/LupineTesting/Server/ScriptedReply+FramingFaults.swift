/// Faults of the message: what arrives is not the HTTP/1.1 of RFC 9112.
///
/// Where a lenient client could read a whole response, one is there, so that leniency shows as a success.
extension ScriptedReply {
  /// A chunk whose size line is `size`, around `hello`; `zz` is no number, `0x5`, `5 g` and `+5` are lies that some accept.
  public static func malformedChunk(size: String = "zz") -> Self {
    verbatim("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(size)\r\nhello\r\n0\r\n\r\n")
  }

  /// Two `Content-Length` fields, and as many bytes as the larger one says.
  public static func doubledContentLength(_ first: Int, _ second: Int) -> Self {
    Self(
      [
        .head(
          status: 200, fields: ["Content-Length": String(first), "Content-Length": String(second)]),
        .body(ScriptedBody.filler(max(first, second, 0)).bytes),
      ], connection: .keep)
  }

  /// A `Content-Length` whose value is any text, and `hello`.
  public static func contentLength(_ value: String) -> Self {
    verbatim("HTTP/1.1 200 OK\r\nContent-Length: \(value)\r\n\r\nhello")
  }

  /// `Content-Length: 5` beside `Transfer-Encoding: chunked`, and `hello` in a chunk.
  public static var contentLengthWithChunked: Self {
    verbatim("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
  }

  /// One field whose value has so many bytes, in an otherwise good response without content.
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

  /// Interim responses (103) without end.
  public static var endlessInformational: Self {
    [.repeat(Array("HTTP/1.1 103 Early Hints\r\n\r\n".utf8))]
  }

  /// Trailers that never end, after a chunk with `hello`.
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

  /// A body without end, in chunks.
  public static var endlessBody: Self {
    let chunk = "1000\r\n" + String(repeating: "a", count: 4096) + "\r\n"
    return [
      .raw(text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), .repeat(Array(chunk.utf8)),
    ]
  }

  /// A response whose lines end in a line feed alone.
  public static var bareLineFeeds: Self {
    verbatim("HTTP/1.1 200 OK\nContent-Length: 5\n\nhello")
  }

  /// A field that goes on in the next line, which begins with a space.
  public static var obsoleteFold: Self {
    verbatim("HTTP/1.1 200 OK\r\nX-Folded: one\r\n two\r\nContent-Length: 5\r\n\r\nhello")
  }

  /// Bytes that are no HTTP at all, then the end of the connection.
  public static var garbage: Self {
    [.raw(Array(0..<32) + Array("\r\nThis is no response.\r\n\r\n".utf8)), .close]
  }

  /// Bytes as they are; the connection stays open.
  public static func verbatim(_ text: String) -> Self {
    Self([.raw(text: text)], connection: .keep)
  }
}
