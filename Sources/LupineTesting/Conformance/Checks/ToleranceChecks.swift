import HTTPTypes
import LupineCore

extension ConformanceKit {
  /// Checks of the violations that a session tolerates: each is accepted with its tolerance and refused without it, and
  /// ends its connection if another reader may find another end.
  static let toleranceChecks: [ConformanceCheck] = tolerated.map { tolerance($0, $1, $2) }

  private static let chunked = "Transfer-Encoding: chunked\r\n"

  private static let tolerated: [(String, ResponseTolerances, String)] = [
    ("the chunked coding named twice", .repeatedChunkedCoding, "\(chunked)\(chunked)\r\n5\r\nhello\r\n0\r\n\r\n"),
    ("a space after the size of a chunk", .spaceAfterChunkSize, "\(chunked)\r\n5 \r\nhello\r\n0 \r\n\r\n"),
    ("two equal lengths", .equalContentLengths, "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello"),
    ("a line that ends in a line feed alone", .bareLineFeeds, "Content-Length: 5\nX-A: 1\n\r\nhello"),
    ("a control byte in a value", .controlBytesInValues, "Content-Length: 5\r\nX-A: 1\u{1}2\r\n\r\nhello"),
    ("the coding identity", .identityCoding, "Transfer-Encoding: identity\r\nContent-Length: 5\r\n\r\nhello"),
  ]

  private static func tolerance(_ what: String, _ tolerance: ResponseTolerances, _ rest: String) -> ConformanceCheck {
    ConformanceCheck(
      "a response with \(what) is accepted if the session tolerates it, and refused otherwise",
      needs: [.networking, .responseTolerances, .connectionReuse]
    ) { stage in
      let reply = ScriptedReply([.raw(Array("HTTP/1.1 200 OK\r\n\(rest)".utf8))], connection: .keep)
      try stage.play { $0.target == "/next" ? .text("next") : .wire(reply) }
      var settings = StageSettings()
      settings.tolerances = tolerance
      try stage.expect(try await stage.fetch(with: settings).text, "hello", "The tolerated response")
      try stage.expect(try await stage.fetch("/next").text, "next", "The next response")
      try stage.expect(stage.peer.connectionCount, tolerance.endsConnection ? 2 : 1, "The connections made")
      try await stage.expect(error: .malformedResponse, "The response without it") { _ = try await stage.fetch() }
      try stage.expect(try await stage.fetch("/next").text, "next", "The response after the refused one")
    }
  }
}
