import HTTPTypes
import LupineCore

extension ConformanceKit {
  static let sinkChecks: [ConformanceCheck] =
    [collectAtLimit, discard, streamed, streamEndsWhenTaken, backPressure, oneForEach]
    + overLimit("collect", .collect(limit: 1000), .responseBody)
    + overLimit("discard", .discard(limit: 1000), .discardedBody)

  private static let collectAtLimit = ConformanceCheck("a body of just the limit is collected") { stage in
    try stage.play { _ in .bytes(numberedBytes(1000)) }
    let response = try await stage.fetch(with: StageSettings(sink: .collect(limit: 1000)))
    try stage.expect(bytes: response.end.data, numberedBytes(1000))
  }

  /// A body over the limit, with and without a `Content-Length`, and a successful exchange after it.
  private static func overLimit(
    _ name: String, _ sink: BodySink, _ limit: Limits.Name
  ) -> [ConformanceCheck] {
    [true, false].map { isTold in
      ConformanceCheck("a body over the limit of \(name) fails, its length \(isTold ? "told" : "untold")") { stage in
        try stage.play { request in
          if request.target == "/next" { return .text("next") }
          return isTold ? .bytes(numberedBytes(1001)) : .chunks([.bytes(numberedBytes(1000)), .bytes([1])])
        }
        let error = try await stage.expect(error: .limitExceeded(limit), "The body of 1,001 bytes") {
          _ = try await stage.fetch(with: StageSettings(sink: sink))
        }
        try stage.expect(received: 1001...1001, by: error)
        try stage.expect(try await stage.fetch("/next").text, "next", "The next response")
      }
    }
  }

  private static let discard = ConformanceCheck("a body that is discarded is counted and not kept") { stage in
    try stage.play { _ in .bytes(numberedBytes(100_000)) }
    let response = try await stage.fetch(with: StageSettings(sink: .discard(limit: 100_000)))
    try stage.expect(response.end.data.count, 0, "The bytes kept")
    try stage.expect(response.end.byteCount, 100_000, "The bytes counted")
  }

  private static let streamed = ConformanceCheck("a streamed body comes piece by piece, in order") { stage in
    try stage.play { _ in .chunks([.repeated(numberedBytes(64 << 10), count: 16)]) }
    let exchange = try await stage.send(stage.request(), StageSettings(sink: .stream(window: 64 << 10)))
    let bytes = try await exchange.takeAll()
    try stage.expect(bytes: bytes, Array((0..<16).map { _ in numberedBytes(64 << 10) }.joined()))
    try stage.expect(try await exchange.end().byteCount, 1 << 20, "The bytes counted")
    try stage.expect(try await exchange.body.next() == nil, "Whether there is nothing after the end")
  }

  private static let streamEndsWhenTaken = ConformanceCheck("a streamed body goes on as its pieces are released") {
    stage in
    let gates = (0..<5).map { _ in Gate() }
    try stage.play { _ in
      .chunks(gates.enumerated().flatMap { [.wait($1), .text("piece \($0) ")] })
    }
    let exchange = try await stage.send(stage.request(), StageSettings(sink: .stream(window: 1)))
    for (index, gate) in gates.enumerated() {
      gate.open()
      var piece: [UInt8] = []
      while piece.count < 8, let more = try await exchange.body.next() { piece += more }
      try stage.expect(String(decoding: piece, as: UTF8.self), "piece \(index) ", "Piece \(index)")
    }
    try stage.expect(try await exchange.body.next() == nil, "Whether the stream ends after the last piece")
    _ = try await exchange.end()
  }

  /// The number of bytes that may arrive beyond the window: one piece of the transport's own size.
  private static let slack = 1 << 20
  private static let blocks = 512

  private static let backPressure = ConformanceCheck(
    "a consumer that does not take holds the peer back",
    about: "While nobody takes, other exchanges come and go, and no more than the window and one piece arrives."
  ) { stage in
    let block = numberedBytes(64 << 10)
    try stage.play { request in
      request.target == "/large" ? .chunks([.repeated(block, count: blocks)]) : .text(request.target)
    }
    let settings = StageSettings(sink: .stream(window: 256 << 10))
    let exchange = try await stage.send(stage.request("/large"), settings)
    var arrivedCount: Int { Int(settings.control.cost.bytesReceived) }
    for number in 0..<20 {
      try stage.expect(try await stage.fetch("/\(number)").text, "/\(number)", "Another exchange meanwhile")
    }
    let arrived = arrivedCount
    try stage.expect(
      arrived <= (256 << 10) + slack, "The bytes that arrived while nobody took any", expected: "at most 1.25 MiB",
      got: "\(arrived) bytes")
    var count = 0
    while let piece = try await exchange.body.next() {
      count += piece.count
      try stage.expect(arrivedCount - count <= (256 << 10) + slack, "Whether the bytes that wait stay bounded")
    }
    try stage.expect(count, blocks * block.count, "The bytes taken in all")
    _ = try await exchange.end()
  }

  private static let oneForEach = ConformanceCheck("each exchange has its own sink") { stage in
    try stage.play { .text("body of \($0.target)") }
    let exchange = try await stage.send(stage.request("/streamed"), StageSettings(sink: .stream(window: 1024)))
    let discarded = try await stage.fetch("/discarded", with: StageSettings(sink: .discard(limit: 1024)))
    let collected = try await stage.fetch("/collected")
    try stage.expect(discarded.end.data.count, 0, "The bytes kept of the discarded one")
    try stage.expect(collected.text, "body of /collected", "The collected body")
    try stage.expect(bytes: try await exchange.takeAll(), Array("body of /streamed".utf8), "The streamed body")
    _ = try await exchange.end()
  }
}
