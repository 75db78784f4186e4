import FoundationEssentials
import HTTPTypes
import LupineCore

extension ConformanceKit {
  static let streamedUploadChecks: [ConformanceCheck] = [
    streamed("a stream of known length arrives", length: 11, [.text("hello"), .text(" "), .text("world")]),
    streamed("a stream of unknown length arrives", length: nil, [.text("hello"), .text(" "), .text("world")]),
    streamed("a stream of nothing arrives as an empty body", length: nil, []),
    streamed("empty pieces of a stream do not end it", length: nil, [.bytes([]), .text("a"), .bytes([]), .text("b")]),
    streamed("a stream of 4 MiB arrives whole", length: nil, [.repeated(numberedBytes(64 << 10), count: 64)]),
    chunked, pending, oneShot, throwing, throwingLater, tooShort, tooLong,
  ]

  private static func streamed(_ name: String, length: Int64?, _ steps: [PeerResponse.Step]) -> ConformanceCheck {
    ConformanceCheck(name, needs: .streamedUploads) { stage in
      try stage.play { _ in .text("ok") }
      let response = try await stage.fetch(method: .post, body: .stream(length: length) { StepSequence(steps) })
      try stage.expect(response.text, "ok", "The response")
      var expected: [UInt8] = []
      for step in steps {
        switch step {
        case .bytes(let bytes): expected += bytes
        case .repeated(let bytes, let count): for _ in 0..<count { expected += bytes }
        case .wait, .signal: break
        }
      }
      try stage.expect(bytes: try stage.peer.requests[0].body, expected, "The body that arrived")
    }
  }

  private static let chunked = ConformanceCheck(
    "a stream of unknown length is sent in chunks", needs: [.networking, .streamedUploads]
  ) { stage in
    try stage.play { _ in .text("ok") }
    _ = try await stage.fetch(method: .post, body: .stream { StepSequence([.text("abc")]) })
    let seen = try stage.peer.requests[0].fields
    try stage.expect(seen.values(of: "Transfer-Encoding"), ["chunked"], "The values of Transfer-Encoding")
    try stage.expect(seen.values(of: "Content-Length"), [], "The values of Content-Length")
  }

  private static let pending = ConformanceCheck(
    "a stream may keep the transport waiting", needs: .streamedUploads,
    about: "Between two pieces other exchanges go on; the piece that comes late is sent."
  ) { stage in
    try stage.play { .text($0.target) }
    let (begun, goOn) = (Gate(), Gate())
    let steps: [PeerResponse.Step] = [.text("early "), .signal(begun), .wait(goOn), .text("late")]
    let request = try stage.request("/slow", method: .post, body: .stream { StepSequence(steps) })
    async let slow = stage.fetch(request)
    try await begun.opened()
    try stage.expect(try await stage.fetch("/quick").text, "/quick", "Another exchange meanwhile")
    goOn.open()
    try stage.expect(try await slow.text, "/slow", "The response")
    let body = try stage.peer.requests.first { $0.target == "/slow" }?.body ?? []
    try stage.expect(bytes: body, Array("early late".utf8), "The body that arrived")
  }

  private static let oneShot = ConformanceCheck(
    "a one-shot stream can be sent once", needs: .streamedUploads
  ) { stage in
    try stage.play { _ in .text("ok") }
    let request = try stage.request(method: .post, body: .oneShot(StepSequence([.text("once")])))
    _ = try await stage.fetch(request)
    try stage.expect(bytes: try stage.peer.requests[0].body, Array("once".utf8), "The body that arrived")
    try await stage.expect(error: .bodyFailed, "The second sending") { _ = try await stage.fetch(request) }
    try stage.expect(stage.peer.requests.count, 1, "The requests that arrived")
  }

  private static let throwing = failing(
    "a stream that throws fails the request", .stream { StepSequence([], failure: StreamFault()) })
  private static let throwingLater = failing(
    "a stream that throws after some bytes fails the request",
    .stream { StepSequence([.text("some bytes")], failure: StreamFault()) })
  private static let tooShort = failing(
    "a stream that ends before its stated length fails the request",
    .stream(length: 10) { StepSequence([.text("short")]) })
  private static let tooLong = failing(
    "a stream that goes on after its stated length fails the request",
    .stream(length: 3) { StepSequence([.text("much too long")]) })

  private static func failing(_ name: String, _ body: RequestBody) -> ConformanceCheck {
    ConformanceCheck(name, needs: .streamedUploads, about: "The peer must never take it for a whole request.") {
      stage in
      try stage.play { _ in .text("ok") }
      try await stage.expect(error: .bodyFailed, "The request") {
        _ = try await stage.fetch("/failing", method: .post, body: body)
      }
      let whole = try stage.peer.requests.filter { $0.target == "/failing" && $0.isBodyComplete }
      try stage.expect(whole.count, 0, "The whole requests that arrived")
      try stage.expect(try await stage.fetch("/next").text, "ok", "The next request")
    }
  }
}

/// The error of a failing stream in a check.
private struct StreamFault: Error {}
