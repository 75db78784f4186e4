import HTTPTypes
import LupineCore

extension ConformanceKit {
  static let sinkChecks: [ConformanceCheck] =
    [collectAtLimit, discard, streamed, streamEndsWhenRead, oneForEach]
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
    [true, false].map { statesLength in
      ConformanceCheck("a body of \(statesLength ? "stated" : "unknown") length over the limit of \(name) fails") {
        stage in
        try stage.play { request in
          if request.target == "/next" { return .text("next") }
          return statesLength ? .bytes(numberedBytes(1001)) : .chunks([.bytes(numberedBytes(1000)), .bytes([1])])
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
    let bytes = try await exchange.readAll()
    try stage.expect(bytes: bytes, Array((0..<16).map { _ in numberedBytes(64 << 10) }.joined()))
    try stage.expect(try await exchange.end().byteCount, 1 << 20, "The bytes counted")
    try stage.expect(try await exchange.body.next() == nil, "Whether there is nothing after the end")
  }

  private static let streamEndsWhenRead = ConformanceCheck("a streamed body goes on as its pieces are released") {
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

  private static let oneForEach = ConformanceCheck("each exchange has its own sink") { stage in
    try stage.play { .text("body of \($0.target)") }
    let exchange = try await stage.send(stage.request("/streamed"), StageSettings(sink: .stream(window: 1024)))
    let discarded = try await stage.fetch("/discarded", with: StageSettings(sink: .discard(limit: 1024)))
    let collected = try await stage.fetch("/collected")
    try stage.expect(discarded.end.data.count, 0, "The bytes kept of the discarded one")
    try stage.expect(collected.text, "body of /collected", "The collected body")
    try stage.expect(bytes: try await exchange.readAll(), Array("body of /streamed".utf8), "The streamed body")
    _ = try await exchange.end()
  }
}

extension ConformanceKit {
  static let fileSinkChecks: [ConformanceCheck] = [wholeFile, atOffset, limit, readOnly]

  private static let wholeFile = ConformanceCheck("a body is written to a file") { stage in
    let file = try TemporaryFile()
    try stage.play { _ in .bytes(numberedBytes(300_000)) }
    let response = try await stage.fetch(with: StageSettings(sink: .file(descriptor: file.descriptor)))
    try stage.expect(response.end.byteCount, 300_000, "The bytes at the sink")
    try stage.expect(response.end.data.count, 0, "The bytes kept in memory")
    try stage.expect(bytes: file.content, numberedBytes(300_000), "The file")
  }

  private static let atOffset = ConformanceCheck(
    "a body is written to a file from an offset on, and earlier bytes stay"
  ) {
    stage in
    let file = try TemporaryFile(Array("front".utf8))
    try stage.play { _ in .chunks([.text("one "), .text("two")]) }
    let response = try await stage.fetch(with: StageSettings(sink: .file(descriptor: file.descriptor, offset: 5)))
    try stage.expect(response.end.byteCount, 7, "The bytes at the sink")
    try stage.expect(bytes: file.content, Array("frontone two".utf8), "The file")
  }

  private static let limit = ConformanceCheck("a body over the limit of its file fails") { stage in
    let file = try TemporaryFile()
    try stage.play { $0.target == "/next" ? .text("next") : .bytes(numberedBytes(1001)) }
    let error = try await stage.expect(error: .limitExceeded(.sink), "The body of 1,001 bytes") {
      _ = try await stage.fetch(with: StageSettings(sink: .file(descriptor: file.descriptor, limit: 1000)))
    }
    try stage.expect(received: 1001...1001, by: error)
    try stage.expect(file.content.count <= 1000, "Whether the file stays within its limit")
    try stage.expect(try await stage.fetch("/next").text, "next", "The next response")
  }

  private static let readOnly = ConformanceCheck("a file that cannot be written fails the body") { stage in
    let file = try TemporaryFile()
    let descriptor = file.openReadOnly()
    defer { TemporaryFile.closeDescriptor(descriptor) }
    try stage.play { $0.target == "/next" ? .text("next") : .text("hello") }
    let error = try await stage.expect(error: .fileFailed, "The body") {
      _ = try await stage.fetch(with: StageSettings(sink: .file(descriptor: descriptor)))
    }
    try stage.expect(received: 5...5, by: error)
    try stage.expect(try await stage.fetch("/next").text, "next", "The next response")
  }
}

extension ConformanceKit {
  /// Checks of the stages of a sink, such as decoders.
  static let stageChecks: [ConformanceCheck] = [transformed, inOrder, failing, failingAtTheEnd]

  private static func settings(_ stages: [any BodyTransformer]) -> StageSettings {
    var settings = StageSettings()
    settings.sink = BodySink(.collect(limit: 1000), stages: stages)
    return settings
  }

  private static let transformed = ConformanceCheck(
    "a body passes through the stage of its sink", about: "Also what the stage yields at the end."
  ) { stage in
    try stage.play { _ in .chunks([.text("a"), .text("b"), .text("c")]) }
    let response = try await stage.fetch(with: settings([Doubling(tail: "!")]))
    try stage.expect(response.text, "aabbcc!", "The body")
    try stage.expect(response.end.byteCount, 7, "The bytes at the sink")
    try stage.expect(response.end.metrics.bytesReceived, 3, "The bytes that arrived")
  }

  private static let inOrder = ConformanceCheck("a body passes through several stages in their order") { stage in
    try stage.play { _ in .text("x") }
    let response = try await stage.fetch(with: settings([Doubling(tail: "1"), Doubling(tail: "2")]))
    try stage.expect(response.text, "xxxx112", "The body")
  }

  private static let failing = failure("a stage that throws fails the body", Doubling(throwsAtEnd: false))
  private static let failingAtTheEnd = failure(
    "a stage that throws at the end fails the body", Doubling(throwsAtEnd: true))

  private static func failure(_ name: String, _ transformer: Doubling) -> ConformanceCheck {
    ConformanceCheck(name) { stage in
      try stage.play { $0.target == "/next" ? .text("next") : .text("hello") }
      let error = try await stage.expect(error: .contentDecodingFailed, "The body") {
        _ = try await stage.fetch(with: settings([transformer]))
      }
      try stage.expect(received: 5...5, by: error)
      try stage.expect(try await stage.fetch("/next").text, "next", "The next response")
    }
  }
}

/// Repeats each byte and appends a tail, or throws.
private final class Doubling: BodyTransformer {
  private let tail: [UInt8]
  private let throwsAtEnd: Bool?

  init(tail: String) {
    self.tail = Array(tail.utf8)
    throwsAtEnd = nil
  }

  init(throwsAtEnd: Bool) {
    tail = []
    self.throwsAtEnd = throwsAtEnd
  }

  func transform(_ input: UnsafeRawBufferPointer, into output: Output) throws(LupineError) {
    if throwsAtEnd == false { throw Self.fault }
    try Self.write(input.flatMap { [$0, $0] }, to: output)
  }

  func finish(into output: Output) throws(LupineError) {
    if throwsAtEnd == true { throw Self.fault }
    try Self.write(tail, to: output)
  }

  private static let fault = LupineError(.contentDecodingFailed, "The stage of a check throws.")

  private static func write(_ bytes: [UInt8], to output: Output) throws(LupineError) {
    let result = bytes.withUnsafeBytes { buffer -> Result<Void, LupineError> in
      do throws(LupineError) { return .success(try output(buffer)) } catch { return .failure(error) }
    }
    try result.get()
  }
}
