import HTTPTypes
import LupineCore

extension ConformanceKit {
  /// Checks that bytes after the end of a response never become the next response.
  static let surplusChecks: [ConformanceCheck] = ends.flatMap { [surplus($0, $1, $2), begun($0, $1, $2)] } + [late]

  /// Responses that end for the client before the surplus bytes, and the methods of their requests.
  private static let ends: [(String, String, HTTPRequest.Method)] = [
    ("a 204 with a body", "HTTP/1.1 204 No Content\r\nContent-Length: \(forged.utf8.count)\r\n\r\n", .get),
    ("a 304 with a body", "HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\n\r\n", .get),
    ("a HEAD answered with a body", "HTTP/1.1 200 OK\r\nContent-Length: \(forged.utf8.count)\r\n\r\n", .head),
    ("a HEAD answered with chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", .head),
    ("a length of 0 with a body", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", .get),
    ("a response longer than its length", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", .get),
    ("bytes after the last chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", .get),
  ]

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

  /// The surplus is the start of a response, and the rest follows after the next request.
  private static func begun(_ what: String, _ head: String, _ method: HTTPRequest.Method) -> ConformanceCheck {
    ConformanceCheck("\(what) does not begin the answer to the next request", needs: .networking) { stage in
      for place in [1, 9, 17, 30, forged.utf8.count - 1] {
        try stage.play { request in
          if request.target != "/next" { return .wire(.verbatim(head + forged.prefix(place))) }
          return request.index > 0 ? .wire(.verbatim(String(forged.dropFirst(place)))) : .text("next")
        }
        _ = try? await stage.fetch(method: method)
        try stage.expect(try await stage.fetch("/next").text, "next", "The next response")
      }
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
