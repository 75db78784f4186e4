import HTTPTypes
import LupineCore

extension ConformanceKit {
  static let earlyAnswerChecks: [ConformanceCheck] = [refusal, whileUploading, largeRefusal]

  private static let refusal = ConformanceCheck(
    "an answer before the body was sent is handed over", needs: [.networking, .streamedUploads],
    about: "The rest of the body stays unsent, and its connection is not used again."
  ) { stage in
    try stage.play(readsBody: false) { request in
      if request.target == "/next" { return .text("next") }
      return .wire(.respond(status: 413, fields: ["Connection": "close"], body: .text("too large")))
    }
    let body = RequestBody.stream { StepSequence([.text("some"), .wait(Gate()), .text("never")]) }
    let response = try await stage.fetch("/early", method: .post, body: body)
    try stage.expect(response.status, 413, "The status")
    try stage.expect(response.text, "too large", "The body")
    try stage.expect(try await stage.fetch("/next").text, "next", "The next response")
    try stage.expect(stage.peer.connectionCount, 2, "The connections made")
  }

  private static let whileUploading = ConformanceCheck(
    "a head is handed over while the request's body is still going out", needs: [.networking, .streamedUploads]
  ) { stage in
    try stage.play(readsBody: false) { _ in
      .wire([.head(status: 200, fields: ["Content-Length": "5"]), .readBody, .body(Array("hello".utf8))])
    }
    let gate = Gate()
    let body = RequestBody.stream { StepSequence([.text("early "), .wait(gate), .text("late")]) }
    let exchange = try await stage.send(stage.request(method: .post, body: body))
    try stage.expect(exchange.head.status.code, 200, "The status, while the request's body is held back")
    gate.open()
    try stage.expect(bytes: try await exchange.end().data, Array("hello".utf8))
    try stage.expect(bytes: try stage.peer.requests[0].body, Array("early late".utf8), "The body that arrived")
  }

  private static let largeRefusal = ConformanceCheck(
    "an answer comes through although the peer reads nothing of a large body", needs: .networking,
    about: "The body, 32 MiB, is more than the buffers of a connection hold."
  ) { stage in
    try stage.play(readsBody: false) { _ in
      .wire(.respond(status: 413, fields: ["Connection": "close"], body: .text("too large")))
    }
    let body = RequestBody.stream(length: 32 << 20) { StepSequence([.repeated(numberedBytes(1 << 20), count: 32)]) }
    let response = try await stage.fetch(method: .put, body: body)
    try stage.expect(response.status, 413, "The status")
    try stage.expect(response.text, "too large", "The body")
  }
}
