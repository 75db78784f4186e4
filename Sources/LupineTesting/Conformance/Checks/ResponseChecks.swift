import HTTPTypes
import LupineCore

extension ConformanceKit {
  static let responseChecks: [ConformanceCheck] =
    [
      download("a body of no bytes", []) { .bytes([]) },
      download("a body with its length told", Array("hello".utf8)) { .text("hello") },
      download("every byte value", Array(0...255)) { .bytes(Array(0...255)) },
      download("a body in chunks", Array("hello world".utf8)) {
        .chunks([.text("hello"), .text(" "), .text("world")])
      },
      download("a body in chunks of one byte", numberedBytes(100)) {
        .chunks(numberedBytes(100).map { .bytes([$0]) })
      },
      download("a body of no chunks", []) { .chunks([]) },
      download("a body that ends with the connection", Array("until the end".utf8)) {
        .make { response in
          response.framing = .untilClose
          response.body = [.text("until "), .text("the end")]
        }
      },
      download("a body of 1 MiB with its length told", numberedBytes(1 << 20)) { .bytes(numberedBytes(1 << 20)) },
      download("a body of 1 MiB in chunks", numberedBytes(1 << 20)) {
        .chunks((0..<16).map { .bytes(Array(numberedBytes(1 << 20)[$0 << 16..<($0 + 1) << 16])) })
      },
      download("a body of no bytes that ends with the connection", []) {
        .make { $0.framing = .untilClose }
      },
    ] + bareChecks + statusChecks + [chunkExtensions, headBeforeBody, noTrailers] + trailerChecks

  private static func download(
    _ name: String, _ expected: [UInt8], _ reply: @escaping @Sendable () -> PeerReply
  ) -> ConformanceCheck {
    ConformanceCheck("\(name) is received whole") { stage in
      try stage.play { _ in reply() }
      let response = try await stage.fetch()
      try stage.expect(response.status, 200, "The status")
      try stage.expect(bytes: response.end.data, expected)
      try stage.expect(response.end.byteCount, Int64(expected.count), "The bytes at the sink")
    }
  }

  /// Responses without content (RFC 9110 section 6.4.1), whatever their fields contain.
  private static let bare: [(Int, RawFields)] = [
    (204, [:]), (304, ["ETag": "\"a\""]), (304, ["Content-Length": "1234"]),
  ]

  private static let bareChecks = bare.map { status, fields in
    let told = fields["Content-Length"].map { " that tells a length of \($0)" } ?? ""
    return ConformanceCheck("a \(status)\(told) has no body") { stage in
      try stage.play { $0.target == "/bare" ? .bare(status: status, fields: fields) : .text("next") }
      let response = try await stage.fetch("/bare")
      try stage.expect(response.status, status, "The status")
      try stage.expect(response.end.byteCount, 0, "The bytes of the body")
      try stage.expect(response.head.headerFields[.contentLength], fields["Content-Length"], "Content-Length")
      try stage.expect(try await stage.fetch("/next").text, "next", "The body of the next response")
    }
  }

  private static let statusChecks = [201, 206, 302, 401, 404, 407, 418, 500, 503, 599].map { status in
    ConformanceCheck(
      "a \(status) is a response like any other", about: "What a status means is the session's business."
    ) { stage in
      let fields: RawFields = status == 302 ? ["Location": "/elsewhere"] : [:]
      try stage.play { $0.number == 0 ? .text("told", status: status, fields: fields) : .text("wrong") }
      let response = try await stage.fetch()
      try stage.expect(response.status, status, "The status")
      try stage.expect(response.text, "told", "The body")
      try stage.expect(stage.peer.requests.count, 1, "The requests that arrived")
    }
  }

  private static let chunkExtensions = ConformanceCheck(
    "chunk extensions are ignored", needs: .networking, about: "RFC 9112 section 7.1.1."
  ) { stage in
    try stage.play { _ in
      .wire([
        .head(status: 200, fields: ["Transfer-Encoding": "chunked"]),
        .chunk(Array("hello".utf8), extensions: ";name=value;other=\"quoted; text\""), .endChunks(),
      ])
    }
    try stage.expect(try await stage.fetch().text, "hello", "The body")
  }

  private static let headBeforeBody = ConformanceCheck(
    "the head is handed over before the body is there", about: "`send` returns at the head."
  ) { stage in
    let gate = Gate()
    try stage.play { _ in
      .make { response in
        response.framing = .length(4)
        response.body = [.wait(gate), .text("late")]
      }
    }
    let exchange = try await stage.send(stage.request())
    try stage.expect(exchange.head.status.code, 200, "The status, while the body is held back")
    gate.open()
    try stage.expect(bytes: try await exchange.end().data, Array("late".utf8))
  }

  private static let noTrailers = ConformanceCheck("a body without trailers has none") { stage in
    try stage.play { _ in .chunks([.text("hello")]) }
    let end = try await stage.fetch().end
    try stage.expect(end.trailers?.count ?? 0, 0, "The number of trailers")
  }

  private static let trailers: [(String, RawFields)] = [
    ("trailers come with the end of the body", ["X-Sum": "abc", "x-count": "5"]),
    ("repeated trailers all come, in their order", ["X-Sum": "1", "X-Other": "", "X-Sum": "2"]),
  ]

  private static let trailerChecks = trailers.map { name, trailers in
    ConformanceCheck(name, needs: .trailers) { stage in
      try stage.play { _ in .chunks([.text("hello")], trailers: trailers) }
      let response = try await stage.fetch()
      try stage.expect(response.text, "hello", "The body")
      let got = RawFields(response.end.trailers ?? [:]).map(\.description)
      try stage.expect(got, trailers.map(\.description), "The trailers")
      try stage.expect(response.head.headerFields.contains { $0.name.rawName == "X-Sum" }, false, "X-Sum in the head")
    }
  }
}
