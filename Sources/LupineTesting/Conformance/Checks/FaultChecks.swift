import HTTPTypes
import LupineCore

extension ConformanceKit {
  static let faultChecks: [ConformanceCheck] =
    [
      withoutHead("a connection that closes before the head", .end(.close)),
      withoutHead("a connection that is reset before the head", .end(.reset)),
      withoutHead(
        "a connection that closes within the head", .wire([.raw(text: "HTTP/1.1 200 OK\r\nContent-Le"), .close]),
        needs: .networking),
      withoutHead(
        "a connection that closes after an interim response",
        .wire([.informational(status: 103), .close]), needs: .networking),
    ] + brokenBodies + [deliveredBefore, afterStatus]

  private static func withoutHead(
    _ what: String, _ reply: PeerReply, needs: TransportCapabilities = []
  ) -> ConformanceCheck {
    ConformanceCheck("\(what) is a lost connection", needs: needs) { stage in
      try stage.play { $0.target == "/next" ? .text("next") : reply }
      let error = try await stage.expect(error: .connectionLost, "The request") {
        _ = try await stage.fetch("/lost", method: .post)
      }
      try stage.expect(!error.isUnprocessed, "Whether the error leaves open what the server has done")
      try stage.expect(stage.peer.requests.count, 1, "How often the request was sent")
      try stage.expect(try await stage.fetch("/next").text, "next", "The next response")
    }
  }

  /// A connection that ends within a body, after the transport has returned the head.
  private static let brokenBodies: [ConformanceCheck] = [PeerEnding.close, .reset].flatMap { ending in
    [PeerResponse.Framing.length(100), .chunked].map { framing in
      let (end, kind) = (ending == .close ? "closes" : "is reset", framing == .chunked ? "chunks" : "known length")
      return ConformanceCheck("a connection that \(end) within a body of \(kind) fails the body") { stage in
        try stage.play { request in
          if request.target == "/next" { return .text("next") }
          return .make { response in
            response.framing = framing
            response.body = [.text("some of it")]
            response.ending = ending
          }
        }
        try await stage.expect(error: .connectionLost, "The body") { _ = try await stage.fetch("/broken") }
        try stage.expect(try await stage.fetch("/next").text, "next", "The next response")
      }
    }
  }

  private static let deliveredBefore = ConformanceCheck(
    "what came before a body broke off is handed over"
  ) { stage in
    let gate = Gate()
    try stage.play { _ in
      .make { response in
        response.framing = .length(100)
        response.body = [.text("some of it"), .wait(gate)]
        response.ending = .close
      }
    }
    var settings = StageSettings()
    settings.sink = .stream(window: 1 << 20)
    let exchange = try await stage.send(stage.request(), settings)
    let piece = try await exchange.body.next() ?? []
    try stage.expect(bytes: piece, Array("some of it".utf8), "The first piece")
    gate.open()
    try await stage.expect(error: .connectionLost, "The next piece") { _ = try await exchange.body.next() }
    let error = try await stage.expect(error: .connectionLost, "The end of the body") { _ = try await exchange.end() }
    try stage.expect(error.metrics?.bytesReceived, 10, "The bytes that the error's metrics count")
  }

  private static let afterStatus = ConformanceCheck(
    "a response that says 500 and closes is a response", needs: .networking
  ) { stage in
    try stage.play { _ in
      .wire([
        .head(status: 500, fields: ["Content-Length": "4", "Connection": "close"]), .body(Array("oops".utf8)), .close,
      ])
    }
    let response = try await stage.fetch()
    try stage.expect(response.status, 500, "The status")
    try stage.expect(response.text, "oops", "The body")
  }
}
