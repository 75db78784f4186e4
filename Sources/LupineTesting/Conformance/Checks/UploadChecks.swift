import HTTPTypes
import LupineCore
import LupineFoundation

extension ConformanceKit {
  static let uploadChecks: [ConformanceCheck] = [
    upload("a request without a body arrives without one", .none, method: .get, []),
    upload("a body of no bytes arrives empty", .bytes(Data()), []),
    upload("a text arrives", .text("Grüße"), Array("Grüße".utf8)),
    upload("every byte value arrives", .bytes(Data(0...255)), Array(0...255)),
    upload("a body of 1 MiB arrives whole", .bytes(Data(numberedBytes(1 << 20))), numberedBytes(1 << 20)),
    upload("a GET has the body that its options allow", .text("query"), method: .get, Array("query".utf8)),
    upload("a DELETE can have a body", .text("which"), method: .delete, Array("which".utf8)),
    upload("an OPTIONS can have a body", .text("which"), method: .options, Array("which".utf8)),
    refusal(of: .get, allowsBodyWithGET: false), refusal(of: .head, allowsBodyWithGET: true),
    refusal(of: .trace, allowsBodyWithGET: true), wholeFile, fileRange, missingFile, lengthIsSentBeforehand, emptyPost,
  ]

  private static func upload(
    _ name: String, _ body: RequestBody, method: HTTPRequest.Method = .post, _ expected: [UInt8]
  ) -> ConformanceCheck {
    ConformanceCheck(name) { stage in
      try stage.play { .text("\($0.body.count)") }
      var request = try stage.request(method: method, body: body)
      request.options.allowsBodyWithGET = true
      let response = try await stage.fetch(request)
      try stage.expect(response.text, "\(expected.count)", "The bytes that the peer counted")
      try stage.expect(bytes: try stage.peer.requests[0].body, expected, "The body that arrived")
    }
  }

  private static func refusal(of method: HTTPRequest.Method, allowsBodyWithGET: Bool) -> ConformanceCheck {
    ConformanceCheck(
      "a \(method.rawValue) with a body that it must not have is refused before a byte is sent",
      about: "HEAD and TRACE have none, and GET has one only with the option allowsBodyWithGET (RFC 9110 section 9.3)."
    ) { stage in
      try stage.play { _ in .text("ok") }
      for body in [RequestBody.text("query"), .bytes(Data()), .stream { StepSequence([.text("query")]) }] {
        var request = try stage.request(method: method, body: body)
        request.options.allowsBodyWithGET = allowsBodyWithGET
        let refused = request
        try await stage.expect(error: .invalidRequest, "A \(method.rawValue) with a body") {
          _ = try await stage.fetch(refused)
        }
      }
      try stage.expect(stage.peer.requests.count, 0, "The requests that arrived")
      try stage.expect(try await stage.fetch("/next").text, "ok", "The next request")
    }
  }

  private static let wholeFile = ConformanceCheck("a file arrives whole") { stage in
    let bytes = numberedBytes(200_001)
    let file = try TemporaryFile(bytes)
    try stage.play { _ in .text("ok") }
    _ = try await stage.fetch(method: .put, body: .file(file.path))
    try stage.expect(bytes: try stage.peer.requests[0].body, bytes, "The body that arrived")
  }

  private static let fileRange = ConformanceCheck("a part of a file arrives, and nothing around it") { stage in
    let bytes = numberedBytes(100_000)
    let file = try TemporaryFile(bytes)
    try stage.play { _ in .text("ok") }
    _ = try await stage.fetch(method: .put, body: .file(file.path, offset: 1000, length: 70_000))
    try stage.expect(bytes: try stage.peer.requests[0].body, Array(bytes[1000..<71_000]), "The body that arrived")
  }

  private static let missingFile = ConformanceCheck("a missing file fails the request, and nothing is sent") { stage in
    try stage.play { _ in .text("ok") }
    try await stage.expect(error: .bodyFailed, "A body whose file is missing") {
      _ = try await stage.fetch(method: .put, body: .file("/nowhere/at/all"))
    }
    try stage.expect(stage.peer.requests.count, 0, "The requests that arrived")
    try stage.expect(try await stage.fetch().text, "ok", "The next request")
  }

  private static let lengthIsSentBeforehand = ConformanceCheck(
    "a known length is sent in Content-Length", needs: .networking
  ) { stage in
    try stage.play { _ in .text("ok") }
    let stream = RequestBody.stream(length: 6) { StepSequence([.text("abc"), .text("def")]) }
    for body in [.text("sixsix"), stream] {
      _ = try await stage.fetch(method: .put, body: body)
      guard let seen = try stage.peer.requests.last?.fields else { return }
      try stage.expect(seen.values(of: "Content-Length"), ["6"], "The values of Content-Length")
      try stage.expect(seen.values(of: "Transfer-Encoding"), [], "The values of Transfer-Encoding")
    }
  }

  private static let emptyPost = ConformanceCheck(
    "a POST, and a QUERY, without a body states the length 0", needs: .networking,
    about: "Content-Length: 0 (RFC 9110 section 8.6)."
  ) { stage in
    try stage.play { _ in .text("ok") }
    _ = try await stage.fetch(method: .post)
    _ = try await stage.fetch(method: .query)
    _ = try await stage.fetch(method: .get)
    let seen = try stage.peer.requests.map { $0.fields.values(of: "Content-Length") }
    try stage.expect(seen, [["0"], ["0"], []], "The values of Content-Length, of POST, of QUERY and of GET")
  }
}

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
    about: "Between two pieces other exchanges continue, and the late piece is sent."
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
