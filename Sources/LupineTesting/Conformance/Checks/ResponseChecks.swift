import HTTPTypes
import LupineCore

extension ConformanceKit {
  static let responseChecks: [ConformanceCheck] =
    [
      download("a body of no bytes", []) { .bytes([]) },
      download("a body with a stated length", Array("hello".utf8)) { .text("hello") },
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
      download("a body of 1 MiB with a stated length", numberedBytes(1 << 20)) { .bytes(numberedBytes(1 << 20)) },
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
    let stated = fields["Content-Length"].map { " that states a length of \($0)" } ?? ""
    return ConformanceCheck("a \(status)\(stated) has no body") { stage in
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
      "a \(status) is a response like any other", about: "The session interprets the status, not the transport."
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
    "the head is returned before the body arrives", about: "`send` returns at the head."
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

extension ConformanceKit {
  static let responseFieldChecks: [ConformanceCheck] =
    [
      received("repeated Set-Cookie fields stay apart", ["Set-Cookie": "a=1, b", "X-Other": "x", "Set-Cookie": "c=3"]),
      received("fields of one name in different cases all come", ["X-Case": "1", "x-case": "2", "X-CASE": "3"]),
      received("an empty value comes empty", ["X-Before": "1", "X-Empty": "", "X-After": "2"]),
      received("a value with tabs and spaces inside keeps them", ["X-Text": "a \t  b, \"c  d\""]),
      received("bytes beyond ASCII in a value come as they are", ["X-Name": "Żółw — 鶴"]),
      received("a value of 64 KiB comes whole", ["X-Large": String(repeating: "0123456789abcdef", count: 4096)]),
      received(
        "six hundred fields come in their order",
        RawFields((0..<600).map { RawField(name: "X-Field-\($0)", value: "\($0)") })),
    ] + reasonChecks + [latin1, blanks]

  private static func received(_ name: String, _ fields: RawFields) -> ConformanceCheck {
    ConformanceCheck(name) { stage in
      try stage.play { _ in .text("ok", fields: fields) }
      let response = try await stage.fetch()
      let names = Set(fields.map { $0.name.lowercased() })
      let got = RawFields(response.head.headerFields).filter { names.contains($0.name.lowercased()) }
      try stage.expect(got.map(\.description), fields.map(\.description), "The fields")
      try stage.expect(response.text, "ok", "The body")
    }
  }

  private static let reasonChecks = [("All right, then", "own"), ("", "empty")].map { reason, kind in
    ConformanceCheck("an \(kind) reason phrase is kept") { stage in
      try stage.play { _ in
        .make { response in
          response.reason = reason
          response.body = [.text("ok")]
        }
      }
      let response = try await stage.fetch()
      try stage.expect(response.head.status.reasonPhrase, reason, "The reason phrase")
      try stage.expect(response.text, "ok", "The body")
    }
  }

  private static let latin1 = ConformanceCheck(
    "bytes of a value that are not UTF-8 are handed over unchanged", needs: .networking,
    about: "A field's value is bytes (RFC 9110 section 5.5)."
  ) { stage in
    let head = Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-Name: caf".utf8) + [0xE9] + Array("\r\n\r\n".utf8)
    try stage.play { _ in .wire([.raw(head)]) }
    let response = try await stage.fetch()
    let field = response.head.headerFields.first { $0.name.rawName == "X-Name" }
    let bytes = field?.withUnsafeBytesOfValue { Array($0) } ?? []
    try stage.expect(bytes, Array("caf".utf8) + [0xE9], "The bytes of the value")
  }

  private static let blanks = ConformanceCheck(
    "white space around a value is not part of it", needs: .networking, about: "RFC 9112 section 5."
  ) { stage in
    try stage.play { _ in .wire([.raw(text: "HTTP/1.1 200 OK\r\nContent-Length:0\r\nX-Value: \t a b \t\r\n\r\n")]) }
    let response = try await stage.fetch()
    try stage.expect(RawFields(response.head.headerFields)["X-Value"], "a b", "The value")
  }
}

extension ConformanceKit {
  static let informationalChecks: [ConformanceCheck] = [earlyHints, several, beforeNoContent, notTheFinalHead]

  private static let earlyHints = ConformanceCheck(
    "a 103 is an event with its fields", needs: .informationalResponses, about: "RFC 8297."
  ) { stage in
    try stage.play { _ in
      .make { response in
        response.informational = [(103, ["Link": "</a.css>; rel=preload", "Link": "</b.js>; rel=preload"])]
        response.body = [.text("ok")]
      }
    }
    let response = try await stage.fetch()
    try stage.expect(response.log.informational.map(\.status.code), [103], "The interim responses")
    let links = response.log.informational[0].headerFields
    try stage.expect(RawFields(links).values(of: "Link").count, 2, "The fields of the interim response")
    try stage.expect(response.head.headerFields.contains { $0.name.rawName == "Link" }, false, "Link in the final head")
    try stage.expect(response.text, "ok", "The body")
  }

  private static let several = ConformanceCheck(
    "several interim responses come in their order", needs: .informationalResponses
  ) { stage in
    try stage.play { _ in
      .make { response in
        response.informational = [(102, [:]), (103, ["X-Number": "1"]), (103, ["X-Number": "2"])]
        response.body = [.text("ok")]
      }
    }
    let response = try await stage.fetch()
    try stage.expect(response.log.informational.map(\.status.code), [102, 103, 103], "The interim responses")
    let numbers = response.log.informational.compactMap { RawFields($0.headerFields)["X-Number"] }
    try stage.expect(numbers, ["1", "2"], "Their fields")
  }

  private static let beforeNoContent = ConformanceCheck(
    "an interim response may come before a 204", needs: .informationalResponses
  ) { stage in
    try stage.play { _ in
      .make { response in
        response.informational = [(103, [:])]
        response.status = 204
        response.framing = .none
      }
    }
    let response = try await stage.fetch()
    try stage.expect(response.status, 204, "The status")
    try stage.expect(response.log.informational.count, 1, "The number of interim responses")
  }

  private static let notTheFinalHead = ConformanceCheck(
    "an interim response is not the response", needs: .informationalResponses
  ) { stage in
    try stage.play { _ in
      .make { response in
        response.informational = [(103, [:])]
        response.status = 404
        response.body = [.text("nothing")]
      }
    }
    let response = try await stage.fetch()
    try stage.expect(response.status, 404, "The status")
    try stage.expect(response.text, "nothing", "The body")
  }
}
