import LupineCore

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
    try Self.give(input.flatMap { [$0, $0] }, to: output)
  }

  func finish(into output: Output) throws(LupineError) {
    if throwsAtEnd == true { throw Self.fault }
    try Self.give(tail, to: output)
  }

  private static let fault = LupineError(.contentDecodingFailed, "The stage of a check throws.")

  private static func give(_ bytes: [UInt8], to output: Output) throws(LupineError) {
    let result = bytes.withUnsafeBytes { buffer -> Result<Void, LupineError> in
      do throws(LupineError) { return .success(try output(buffer)) } catch { return .failure(error) }
    }
    try result.get()
  }
}
