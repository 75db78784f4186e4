import HTTPTypes
import LupineCore
import LupineFoundation

extension ConformanceKit {
  static let earlyAnswerChecks: [ConformanceCheck] = [
    refusal, openRefusal, whileUploading, completeWhileUploading, largeRefusal,
  ]

  private static let refusal = ConformanceCheck(
    "a response that arrives before the body was sent is returned", needs: [.networking, .streamedUploads],
    about: "The rest of the body stays unsent, and its connection is not used again."
  ) { stage in
    try stage.play(readsBody: false) { request in
      if request.target == "/next" { return .text("next") }
      return .wire(.respond(status: 413, fields: ["Connection": "close"], body: .text("too large")))
    }
    let body = RequestBody.stream { StepSequence([.text("some"), .wait(Gate()), .text("never")]) }
    let response = try await stage.fetch(
      "/early", method: .post, body: body, with: StageSettings(countsSent: false))
    try stage.expect(response.status, 413, "The status")
    try stage.expect(response.text, "too large", "The body")
    try stage.expect(try await stage.fetch("/next").text, "next", "The next response")
    try stage.expect(stage.peer.connectionCount, 2, "The connections made")
  }

  private static let openRefusal = ConformanceCheck(
    "an answer with an error ends the upload although the peer leaves the connection open",
    needs: [.networking, .streamedUploads], about: "The reader of the body is cancelled."
  ) { stage in
    try stage.play(readsBody: false) { request in
      guard request.target == "/early" else { return .text("next") }
      return .wire(ScriptedReply.respond(status: 413, body: .text("too large")).followed(by: .stall))
    }
    let released = Gate()
    let body = RequestBody.stream { PendingSequence(first: "some", released: released) }
    let response = try await stage.fetch(
      "/early", method: .post, body: body, with: StageSettings(countsSent: false))
    try stage.expect(response.status, 413, "The status")
    try stage.expect(response.text, "too large", "The body")
    try stage.expect(try await stage.fetch("/next").text, "next", "The next response")
    try stage.expect(stage.peer.connectionCount, 2, "The connections made")
    try await stage.expect(soon: { released.isOpen }, "Whether the body is released")
  }

  private static let completeWhileUploading = ConformanceCheck(
    "no request is sent within an upload that a complete 2xx has answered",
    needs: [.networking, .streamedUploads],
    about: "The transport sends the rest, or it closes the connection (RFC 9112 section 9.3)."
  ) { stage in
    try stage.play(readsBody: false) { request in
      if request.target == "/next" { return .text("next") }
      return .wire([.head(status: 200, fields: ["Content-Length": "2"]), .body(Array("ok".utf8)), .readBody])
    }
    let gate = Gate()
    let body = RequestBody.stream { StepSequence([.text("early "), .wait(gate), .text("late")]) }
    let exchange = try await stage.send(
      stage.request("/early", method: .post, body: body), StageSettings(countsSent: false))
    try stage.expect(exchange.head.status.code, 200, "The status, while the request's body is held back")
    gate.open()
    try stage.expect(bytes: try await exchange.end().data, Array("ok".utf8))
    try stage.expect(try await stage.fetch("/next").text, "next", "The next response")
    // The peer has then read all that was sent.
    await stage.transport.shutdown()
    try await stage.peer.waitForOpenConnections(0)
    let seen = try stage.peer.requests[0]
    try stage.expect("early late".hasPrefix(String(decoding: seen.body, as: UTF8.self)), "Whether the body is a part")
    try stage.expect(seen.isBodyComplete == (seen.body.count == 10), "Whether the body ends only after its last byte")
    guard !seen.isBodyComplete else { return }
    try stage.expect(stage.peer.connectionCount, 2, "The connections made")
  }

  private static let whileUploading = ConformanceCheck(
    "a head is returned while the request's body is still being sent", needs: [.networking, .streamedUploads]
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
    "a response is received although the peer reads nothing of a large body", needs: .networking,
    about: "The body, 32 MiB, is more than the buffers of a connection hold."
  ) { stage in
    try stage.play(readsBody: false) { _ in
      .wire(.respond(status: 413, fields: ["Connection": "close"], body: .text("too large")))
    }
    let body = RequestBody.stream(length: 32 << 20) { StepSequence([.repeated(numberedBytes(1 << 20), count: 32)]) }
    let response = try await stage.fetch(method: .put, body: body, with: StageSettings(countsSent: false))
    try stage.expect(response.status, 413, "The status")
    try stage.expect(response.text, "too large", "The body")
  }
}

extension ConformanceKit {
  /// Checks of `Expect: 100-continue` (RFC 9110 section 10.1.1).
  static let continueChecks: [ConformanceCheck] = [
    granted, grantedByField, refused(417), refused(401), refusedOneShot, withoutBytes, notAsked, withoutAnswer,
    unsent(417), unsent(413), unsent(403, byField: true), unsent(413, after: 103),
  ]

  private static func expecting(
    _ body: RequestBody, _ path: String = "/expecting", on stage: ConformanceStage
  ) throws -> OutgoingRequest {
    var request = try stage.request(path, method: .post, body: body)
    request.options.expectsContinue = true
    return request
  }

  private static let granted = ConformanceCheck(
    "a body that waits for 100 follows it", needs: .informationalResponses
  ) { stage in
    try stage.play { _ in .text("ok") }
    try follow100(try await stage.fetch(expecting(.text("the body"), on: stage)), on: stage)
  }

  private static let grantedByField = ConformanceCheck(
    "with an Expect field in the request, the body waits for 100", needs: .informationalResponses
  ) { stage in
    try stage.play { _ in .text("ok") }
    let headers: HTTPFields = [.expect: "100-continue"]
    let response = try await stage.fetch("/expecting", method: .post, headers: headers, body: .text("the body"))
    try follow100(response, on: stage)
  }

  private static func follow100(_ response: FetchedResponse, on stage: ConformanceStage) throws {
    try stage.expect(response.text, "ok", "The body")
    try stage.expect(response.log.informational.map(\.status.code), [100], "The interim responses")
    let seen = try stage.peer.requests[0]
    try stage.expect(seen.fields.values(of: "Expect").map { $0.lowercased() }, ["100-continue"], "Expect")
    try stage.expect(bytes: seen.body, Array("the body".utf8), "The body that arrived")
  }

  private static func refused(_ status: Int) -> ConformanceCheck {
    ConformanceCheck(
      "a \(status) in place of 100 leaves the body unsent",
      about: "The connection is not used again: the peer may still wait for the body."
    ) { stage in
      try stage.play(readsBody: false) { request in
        request.target == "/next" ? .text("next") : .text("refused", status: status)
      }
      let response = try await stage.fetch(expecting(.text("the body"), on: stage))
      try stage.expect(response.status, status, "The status")
      try stage.expect(response.text, "refused", "The body")
      try stage.expect(response.end.metrics.bytesSent, 0, "The bytes sent")
      try stage.expect(stage.peer.requests.count, 1, "How often the request was sent")
      try stage.expect(stage.peer.requests[0].body.count, 0, "The bytes of the body that arrived")
      try stage.expect(try await stage.fetch("/next").text, "next", "The next response")
      if let count = try stage.peer.connectionCount { try stage.expect(count, 2, "The connections made") }
    }
  }

  /// The body is a request, so that the peer records it if it is sent.
  private static func unsent(_ status: Int, byField: Bool = false, after interim: Int? = nil) -> ConformanceCheck {
    let place = interim.map { " after a \($0)" } ?? ""
    return ConformanceCheck(
      "a body that waits for 100\(byField ? " by its field" : "") never reaches a peer that sends \(status)\(place)",
      needs: .networking, about: "The connection is closed, and no event says that the request was sent."
    ) { stage in
      let (clock, prompt) = (ContinuousClock(), Duration.milliseconds(500))
      var response: FetchedResponse
      var time: Duration
      var attempts = 0
      // A transport sends the body if no 100 arrives for a while. On a busy machine that may happen before the response
      // arrives; the exchange is then repeated.
      repeat {
        attempts += 1
        stage.restartTranscript()
        try? stage.peer.stop()
        try stage.play(readsBody: false) { _ in
          let first = interim.map { [ScriptedReply.Step.informational(status: $0)] } ?? []
          return .wire(ScriptedReply(first + ScriptedReply.respond(status: status).steps, connection: .keep))
        }
        var request = try expecting(.text("GET /body HTTP/1.1\r\nHost: here\r\n\r\n"), on: stage)
        if byField {
          request.options.expectsContinue = false
          request.headers[.expect] = "100-continue"
        }
        let start = clock.now
        response = try await stage.fetch(request)
        time = start.duration(to: clock.now)
      } while time > prompt && attempts < 5
      try stage.expect(response.status, status, "The status")
      try stage.expect(response.log.sent, [], "The events sent")
      try await stage.peer.waitForOpenConnections(0)
      try stage.expect(stage.peer.requests.map(\.target), ["/expecting"], "What the peer saw")
    }
  }

  private static let withoutAnswer = ConformanceCheck(
    "a body is sent after a while if the peer sends neither 100 nor a response", needs: .networking,
    about: "A client does not wait for an indefinite period (RFC 9110 section 10.1.1)."
  ) { stage in
    try stage.play(answersContinue: false) { _ in .text("ok") }
    let response = try await stage.fetch(expecting(.text("the body"), on: stage))
    try stage.expect(response.text, "ok", "The body")
    try stage.expect(bytes: stage.peer.requests[0].body, Array("the body".utf8), "The body that arrived")
  }

  private static let refusedOneShot = ConformanceCheck(
    "a one-shot body that is refused in place of 100 can be sent later", needs: .streamedUploads
  ) { stage in
    try stage.play(readsBody: false) { _ in .text("refused", status: 401) }
    let body = RequestBody.oneShot(StepSequence([.text("the body")]))
    for _ in 0..<2 {
      let response = try await stage.fetch(expecting(body, on: stage))
      try stage.expect(response.status, 401, "The status")
    }
  }

  private static let withoutBytes = ConformanceCheck("a body without bytes does not wait for 100") { stage in
    try stage.play { _ in .text("ok") }
    let response = try await stage.fetch(expecting(.text(""), on: stage))
    try stage.expect(response.text, "ok", "The body")
    try stage.expect(response.log.informational.count, 0, "The number of interim responses")
    try stage.expect(stage.peer.requests[0].fields["Expect"], nil, "Expect")
  }

  private static let notAsked = ConformanceCheck("a request without `Expect` does not wait for 100") { stage in
    try stage.play { _ in .text("ok") }
    let response = try await stage.fetch(method: .put, body: .bytes(.init(numberedBytes(2 << 20))))
    try stage.expect(response.log.informational.count, 0, "The number of interim responses")
    try stage.expect(stage.peer.requests[0].fields["Expect"], nil, "Expect")
  }
}
