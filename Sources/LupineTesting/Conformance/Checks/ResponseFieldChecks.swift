import HTTPTypes
import LupineCore

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
    ConformanceCheck("an \(kind) reason phrase is handed over") { stage in
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
    "bytes that are no UTF-8 in a value come as they are", needs: .networking,
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
    "white space around a value does not belong to it", needs: .networking, about: "RFC 9112 section 5."
  ) { stage in
    try stage.play { _ in .wire([.raw(text: "HTTP/1.1 200 OK\r\nContent-Length:0\r\nX-Value: \t a b \t\r\n\r\n")]) }
    let response = try await stage.fetch()
    try stage.expect(RawFields(response.head.headerFields)["X-Value"], "a b", "The value")
  }
}
