import HTTPTypes
import LupineCore

extension ConformanceKit {
  /// Checks of a consumer that does not read.
  static let backPressureChecks: [ConformanceCheck] =
    [backPressure, uploadWhileHeldBack] + [.length(), .chunked, .untilClose].map { endsWhileHeldBack($0) }

  /// The number of bytes that may arrive beyond the window: one piece of the transport's own size.
  private static let tolerance = 1 << 20
  private static let blocks = 512

  private static let backPressure = ConformanceCheck(
    "a consumer that does not read holds the peer back",
    about: "While no piece is read, other exchanges continue, and at most the window and one piece arrive."
  ) { stage in
    let block = numberedBytes(64 << 10)
    try stage.play { request in
      request.target == "/large" ? .chunks([.repeated(block, count: blocks)]) : .text(request.target)
    }
    let settings = StageSettings(sink: .stream(window: 256 << 10))
    let exchange = try await stage.send(stage.request("/large"), settings)
    var arrivedCount: Int { Int(settings.control.metrics.bytesReceived) }
    for number in 0..<20 {
      try stage.expect(try await stage.fetch("/\(number)").text, "/\(number)", "Another exchange meanwhile")
    }
    let arrived = arrivedCount
    try stage.expect(
      arrived <= (256 << 10) + tolerance, "The bytes that arrived while none were read", expected: "at most 1.25 MiB",
      got: "\(arrived) bytes")
    var count = 0
    while let piece = try await exchange.body.next() {
      count += piece.count
      try stage.expect(arrivedCount - count <= (256 << 10) + tolerance, "Whether the bytes that wait stay bounded")
    }
    try stage.expect(count, blocks * block.count, "The bytes read in total")
    _ = try await exchange.end()
  }

  private static func endsWhileHeldBack(_ framing: PeerResponse.Framing) -> ConformanceCheck {
    let kind = framing == .chunked ? "chunks" : framing == .untilClose ? "unknown length" : "known length"
    return ConformanceCheck(
      "a body of \(kind) is whole although its connection ended while its consumer held it back", needs: .networking
    ) { stage in
      let bytes = numberedBytes(100_000)
      try stage.play { _ in
        .make { response in
          response.fields = ["Connection": "close"]
          response.framing = framing
          response.body = [.bytes(bytes)]
        }
      }
      let exchange = try await stage.send(stage.request(), StageSettings(sink: .stream(window: 1)))
      try await stage.peer.waitForOpenConnections(0)
      try stage.expect(bytes: try await exchange.readAll(), bytes)
      try stage.expect(try await exchange.end().byteCount, 100_000, "The bytes counted")
    }
  }

  private static let uploadWhileHeldBack = ConformanceCheck(
    "a request's body goes out while the consumer holds the response back", needs: [.networking, .streamedUploads],
    about: "A consumer may wait for the end of the upload before it reads."
  ) { stage in
    let (goOn, received) = (Gate(), Gate())
    // More than the transport takes before the body is opened, and less than the buffers of a connection hold as well.
    let bytes = numberedBytes(400_000)
    try stage.play(readsBody: false) { _ in
      .wire([
        .head(status: 200, fields: ["Content-Length": "\(bytes.count)"]), .body(bytes), .readBody, .signal(received),
      ])
    }
    let body = RequestBody.stream { StepSequence([.text("early "), .wait(goOn), .text("late")]) }
    let exchange = try await stage.send(
      stage.request(method: .post, body: body), StageSettings(sink: .stream(window: 1)))
    goOn.open()
    try await received.opened()
    try stage.expect(bytes: try stage.peer.requests[0].body, Array("early late".utf8), "The body that arrived")
    try stage.expect(bytes: try await exchange.readAll(), bytes)
    _ = try await exchange.end()
  }
}
