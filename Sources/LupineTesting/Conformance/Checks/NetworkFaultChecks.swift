import HTTPTypes
import LupineCore
import LupineMock
import Synchronization

extension ConformanceKit {
  /// Checks of every `NetworkFault`, which must have the same effect with every transport.
  static let networkFaultChecks: [ConformanceCheck] =
    failing.map { fails($0, $1) } + [.stallBeforeHead, .stall(afterBytes: 3)].map { stalls($0) } + [
      arrives(.dribble(every: .zero), "hello"), arrives(.oversizedField(bytes: 1_000), "hello"), bomb, goAway,
    ] + bodiless.map { spares($0) } + unsent.map { sendsNothing($0, $1) }

  private static let failing: [(NetworkFault, LupineError.Kind)] = [
    (.hostNotFound, .hostNotFound), (.connectionRefused, .connectionRefused),
    (.networkUnreachable, .networkUnreachable), (.tlsRefused, .tlsFailed), (.connectionStalled, .timedOut(.connect)),
    (.resetBeforeHead, .connectionLost), (.resetAfterHead, .connectionLost), (.reset(afterBytes: 3), .connectionLost),
    (.reset(afterBytes: 100), .connectionLost), (.truncated(afterBytes: 3), .connectionLost),
    (.malformedChunk, .malformedResponse), (.doubledLength, .malformedResponse),
    (.oversizedField(bytes: 200_000), .limitExceeded(.responseFields)),
  ]

  private static func fails(_ fault: NetworkFault, _ kind: LupineError.Kind) -> ConformanceCheck {
    ConformanceCheck("\(fault) is an error of kind \(kind)") { stage in
      try stage.play(PeerScript(fault))
      var settings = StageSettings()
      if fault == .connectionStalled { settings.connectTimeout = .milliseconds(50) }
      let error = try await stage.expect(error: kind, "The request") { _ = try await stage.fetch(with: settings) }
      try stage.expect(error.metrics != nil, "Whether the error carries what the attempt cost")
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
        try stage.expect(bytes: piece, Array("hel".utf8), "What comes before the stall")
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

  private static func spares(_ fault: NetworkFault) -> ConformanceCheck {
    ConformanceCheck("\(fault) befalls no response to HEAD", about: "RFC 9110 section 9.3.2.") { stage in
      try stage.play(PeerScript(fault))
      let response = try await stage.fetch(method: .head)
      try stage.expect(response.head.status, .ok, "The status")
      try stage.expect(response.end.data.count, 0, "The bytes of the body")
    }
  }

  /// Faults before a connection is established.
  private static let unsent = failing.filter { $0.0.isBeforeConnection && $0.0 != .connectionStalled }

  private static func sendsNothing(_ fault: NetworkFault, _ kind: LupineError.Kind) -> ConformanceCheck {
    ConformanceCheck("\(fault) has nothing of an upload sent") { stage in
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
      try stage.expect(!isSent.withLock { $0 }, "Whether nothing is told to be sent")
    }
  }

  private static let bomb = ConformanceCheck("a compressed bomb arrives small, as it was sent") { stage in
    try stage.play(PeerScript(.compressedBomb(decodedBytes: 1 << 20)))
    let response = try await stage.fetch()
    try stage.expect(response.head.headerFields[.contentEncoding], "deflate", "The coding")
    try stage.expect(response.end.data.count < 10_000, "Whether the body is small")
  }

  private static let goAway = ConformanceCheck(
    "GOAWAY before the request is processed is a lost connection, and the error says that nothing was processed",
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
