import HTTPTypes
import LupineCore
import LupineDoubles
import Synchronization

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
    // The orderly end of a connection ends a body that has no other end.
    (ending == .close ? [.length(100), .chunked] : [.length(100), .chunked, .untilClose]).map {
      (framing: PeerResponse.Framing) in
      let end = ending == .close ? "closes" : "is reset"
      let kind = framing == .chunked ? "chunks" : framing == .untilClose ? "unknown length" : "known length"
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
    "the bytes before the early end of a body are delivered"
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
    "a response with status 500 before the connection closes is a response", needs: .networking
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

extension ConformanceKit {
  /// Checks of every `NetworkFault`, which must have the same effect with every transport.
  static let networkFaultChecks: [ConformanceCheck] =
    failing.map { fails($0, $1) } + [.stallBeforeHead, .stall(afterBytes: 3)].map { stalls($0) } + [
      arrives(.dribble(every: .zero), "hello"), arrives(.oversizedField(bytes: 1_000), "hello"), bomb, goAway,
      withoutTLS,
    ] + bodiless.map { doesNotAffectHead($0) } + unsent.map { sendsNothing($0, $1) }

  private static let failing: [(NetworkFault, LupineError.Kind)] = [
    (.hostNotFound, .hostNotFound), (.connectionRefused, .connectionRefused),
    (.networkUnreachable, .networkUnreachable), (.tlsRefused, .tlsFailed), (.connectionStalled, .timedOut(.connect)),
    (.resetBeforeHead, .connectionLost), (.resetInRequest(afterBytes: 3), .connectionLost),
    (.resetAfterHead, .connectionLost), (.reset(afterBytes: 3), .connectionLost),
    (.reset(afterBytes: 100), .connectionLost), (.truncated(afterBytes: 3), .connectionLost),
    (.malformedChunk, .malformedResponse), (.doubledLength, .malformedResponse),
    (.oversizedField(bytes: 200_000), .limitExceeded(.responseFields)),
  ]

  private static func fails(_ fault: NetworkFault, _ kind: LupineError.Kind) -> ConformanceCheck {
    ConformanceCheck("\(fault) is an error of kind \(kind)", needs: needs(of: fault)) { stage in
      try stage.play(PeerScript(fault))
      var settings = StageSettings()
      if fault == .connectionStalled { settings.connectTimeout = .milliseconds(50) }
      let error = try await stage.expect(error: kind, "The request") { _ = try await stage.fetch(with: settings) }
      try stage.expect(error.metrics != nil, "Whether the error has the metrics of the exchange")
    }
  }

  private static func needs(of fault: NetworkFault) -> TransportCapabilities { fault == .tlsRefused ? .tls : [] }

  /// A transport with TLS fails in the handshake, which the fault `tlsRefused` checks.
  private static let withoutTLS = ConformanceCheck(
    "without TLS no connection is made for an https URL", needs: .networking,
    about: "The request is never sent in clear text."
  ) { stage in
    guard !stage.transport.capabilities.contains(.tls) else { return }
    try stage.play(PeerScript(.tlsRefused))
    do {
      _ = try await stage.fetch()
      try stage.expect("a response", "an error", "What the request brings")
    } catch is LupineError {
      try stage.expect(stage.peer.connectionCount, 0, "The connections made")
    }
  }

  /// The check cancels the exchange with a reason, as the session does at a timeout.
  private static func stalls(_ fault: NetworkFault) -> ConformanceCheck {
    ConformanceCheck("\(fault) lasts until the exchange is ended") { stage in
      try stage.play(PeerScript(fault))
      var settings = StageSettings()
      settings.sink = .stream(window: 100)
      let control = settings.control
      if fault == .stallBeforeHead {
        settings.onEvent = { event in
          if case .connected = event { control.cancel(LupineError(.timedOut(.idle), "The check ends this exchange.")) }
        }
      }
      try await stage.expect(error: .timedOut(.idle), "The exchange") {
        let exchange = try await stage.send(stage.request(), settings)
        let piece = try await exchange.body.next() ?? []
        try stage.expect(bytes: piece, Array("hel".utf8), "The bytes before the stall")
        control.cancel(LupineError(.timedOut(.idle), "The check ends this exchange."))
        _ = try await exchange.end()
      }
    }
  }

  private static func arrives(_ fault: NetworkFault, _ text: String) -> ConformanceCheck {
    ConformanceCheck("\(fault) arrives whole") { stage in
      try stage.play(PeerScript(fault))
      try stage.expect(try await stage.fetch().text, text, "The body")
    }
  }

  /// Faults of a body, which a response to HEAD does not have.
  private static let bodiless: [NetworkFault] = [
    .resetAfterHead, .truncated(afterBytes: 3), .malformedChunk, .compressedBomb(decodedBytes: 1_000),
  ]

  private static func doesNotAffectHead(_ fault: NetworkFault) -> ConformanceCheck {
    ConformanceCheck("\(fault) does not affect a response to HEAD", about: "RFC 9110 section 9.3.2.") { stage in
      try stage.play(PeerScript(fault))
      let response = try await stage.fetch(method: .head)
      try stage.expect(response.head.status, .ok, "The status")
      try stage.expect(response.end.data.count, 0, "The bytes of the body")
    }
  }

  /// Faults before a connection is established.
  private static let unsent = failing.filter { $0.0.isBeforeConnection && $0.0 != .connectionStalled }

  private static func sendsNothing(_ fault: NetworkFault, _ kind: LupineError.Kind) -> ConformanceCheck {
    ConformanceCheck("\(fault) sends nothing of an upload", needs: needs(of: fault)) { stage in
      try stage.play(PeerScript(fault))
      let isSent = Mutex(false)
      var settings = StageSettings()
      settings.onEvent = { event in
        if case .sent = event { isSent.withLock { $0 = true } }
      }
      let request = try stage.request(method: .post, body: .text("hello"))
      let error = try await stage.expect(error: kind, "The upload") { [settings] in
        _ = try await stage.fetch(request, settings)
      }
      try stage.expect(error.metrics?.bytesSent, 0, "The bytes sent")
      try stage.expect(!isSent.withLock { $0 }, "Whether no sent bytes are reported")
    }
  }

  private static let bomb = ConformanceCheck("a compressed bomb arrives small, as it was sent") { stage in
    try stage.play(PeerScript(.compressedBomb(decodedBytes: 1 << 20)))
    let response = try await stage.fetch()
    try stage.expect(response.head.headerFields[.contentEncoding], "deflate", "The coding")
    try stage.expect(response.end.data.count < 10_000, "Whether the body is small")
  }

  private static let goAway = ConformanceCheck(
    "GOAWAY before the request is processed is a lost connection, and the error is unprocessed",
    needs: .http2, about: "RFC 9113 section 6.8."
  ) { stage in
    try stage.play(PeerScript(.goAway))
    var request = try stage.request()
    request.options.version = .http2
    let sent = request
    let error = try await stage.expect(error: .connectionLost, "The request") { _ = try await stage.fetch(sent) }
    try stage.expect(error.isUnprocessed, "Whether the error says that the request was not processed")
  }
}
