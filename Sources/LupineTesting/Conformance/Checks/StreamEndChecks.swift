import LupineCore

extension ConformanceKit {
  /// Checks that an HTTP/2 body ends with END_STREAM only (RFC 9113 section 8.1).
  static let streamEndChecks: [ConformanceCheck] =
    [
      ("the end of the connection", []),
      ("DATA on an idle stream", HTTP2Frames.frame(0, stream: 7, [0x78])),
      ("garbage", Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)),
      ("RST_STREAM with NO_ERROR", HTTP2Frames.frame(3, stream: 1, [0, 0, 0, 0])),
      ("GOAWAY and the end of the connection", HTTP2Frames.frame(7, [0, 0, 0, 1, 0, 0, 0, 0])),
    ].map { cutOff(by: $0, $1) } + [
      whole("the end of the connection", []),
      whole("GOAWAY", HTTP2Frames.frame(7, [0, 0, 0, 1, 0, 0, 0, 0])),
    ]

  private static let needs: TransportCapabilities = [.networking, .http2, .streamEndChecks]

  private static func cutOff(by what: String, _ frames: [UInt8]) -> ConformanceCheck {
    ConformanceCheck("an HTTP/2 body that \(what) cuts off is an error", needs: needs, about: "RFC 9113 section 8.1.") {
      stage in
      try stage.play(PeerScript(frames: HTTP2Frames.head + HTTP2Frames.data("hello", ends: false) + frames))
      do {
        _ = try await stage.fetch(multiplexed(stage))
        try stage.expect("a response", "an error", "What the request brings")
      } catch let error as LupineError {
        let isRight = error.kind == .connectionLost || error.kind == .malformedResponse
        try stage.expect(isRight, true, "Whether \(error.kind) is of a response that is not whole")
      }
    }
  }

  private static func whole(_ what: String, _ frames: [UInt8]) -> ConformanceCheck {
    ConformanceCheck("an HTTP/2 body that END_STREAM ends is whole before \(what)", needs: needs) { stage in
      try stage.play(PeerScript(frames: HTTP2Frames.head + HTTP2Frames.data("hello", ends: true) + frames))
      try stage.expect(try await stage.fetch(multiplexed(stage)).text, "hello", "The body")
    }
  }

  private static func multiplexed(_ stage: ConformanceStage) throws -> OutgoingRequest {
    var request = try stage.request()
    request.options.version = .http2
    return request
  }
}
