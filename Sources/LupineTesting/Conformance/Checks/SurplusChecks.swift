import HTTPTypes
import LupineCore

extension ConformanceKit {
  /// Bytes after a response's end must never become the next response (S20).
  static let surplusChecks: [ConformanceCheck] =
    [
      ("a 204 with a body", "HTTP/1.1 204 No Content\r\nContent-Length: \(forged.utf8.count)\r\n\r\n", .get),
      ("a 304 with a body", "HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\n\r\n", .get),
      ("a HEAD answered with a body", "HTTP/1.1 200 OK\r\nContent-Length: \(forged.utf8.count)\r\n\r\n", .head),
      ("a response longer than its length", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", .get),
      ("bytes after the last chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", .get),
    ].map { surplus($0, $1, $2) } + [late]

  private static let forged = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged"

  private static func surplus(_ what: String, _ head: String, _ method: HTTPRequest.Method) -> ConformanceCheck {
    ConformanceCheck("\(what) does not answer the next request", needs: .networking) { stage in
      try stage.play { $0.target == "/next" ? .text("next") : .wire(.verbatim(head + forged)) }
      do {
        let response = try await stage.fetch(method: method)
        try stage.expect(response.text.contains("forged"), false, "Whether the surplus is part of the body")
      } catch let error as LupineError {
        try stage.expect(error.kind, .malformedResponse, "The kind of error, where there is one")
      }
      try stage.expect(try await stage.fetch("/next").text, "next", "The next response")
    }
  }

  private static let late = ConformanceCheck(
    "bytes that arrive late on an idle connection do not answer the next request", needs: .networking
  ) { stage in
    let (goOn, sent) = (Gate(), Gate())
    try stage.play { request in
      guard request.target != "/next" else { return .text("next") }
      return .wire(
        ScriptedReply(
          [.head(status: 204), .wait(goOn), .raw(text: forged), .signal(sent)], connection: .keep))
    }
    try stage.expect(try await stage.fetch().status, 204, "The status")
    goOn.open()
    try await sent.opened()
    try stage.expect(try await stage.fetch("/next").text, "next", "The next response")
  }
}
