import HTTPTypes
import LupineCore
import LupineSupport

extension ConformanceKit {
  static let methodChecks: [ConformanceCheck] =
    ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "QUERY", "M-SEARCH", "Mixed"].map {
      name in
      ConformanceCheck("\(name) is sent unchanged", about: "Methods are case-sensitive (RFC 9110 section 9.1).") {
        stage in
        try stage.play { .text("You sent \($0.method).") }
        guard let method = HTTPRequest.Method(name) else { return }
        let response = try await stage.fetch(method: method)
        try stage.expect(response.status, 200, "The status")
        try stage.expect(response.text, "You sent \(name).", "The body")
        try stage.expect(stage.peer.requests.map(\.method), [name], "What the peer saw")
      }
    } + [headCheck, targetCheck, methodsInTurnCheck]

  private static let headCheck = ConformanceCheck(
    "HEAD brings the length and no body", about: "RFC 9110 section 9.3.2."
  ) { stage in
    try stage.play { $0.method == "HEAD" ? .bare(status: 200, fields: ["Content-Length": "1234"]) : .text("next") }
    let response = try await stage.fetch(method: .head)
    try stage.expect(response.head.headerFields[.contentLength], "1234", "Content-Length")
    try stage.expect(response.end.byteCount, 0, "The bytes of the body")
    try stage.expect(try await stage.fetch().text, "next", "The body of the next response")
  }

  private static let targetCheck = ConformanceCheck(
    "the target arrives as in the URL", about: "No dot segment, escape or query is rewritten on the way."
  ) { stage in
    try stage.play { .text($0.target) }
    for target in ["/", "/a/b?x=1&y=%20&x=2", "/%2e%2E/c%2Fd", "/?", "/a;b=c,d?q=a+b"] {
      let request = try stage.request(target)
      let response = try await stage.fetch(request)
      try stage.expect(response.text, request.url.requestTarget, "The target of \(target)")
    }
  }

  private static let methodsInTurnCheck = ConformanceCheck(
    "a request has nothing of the request before it"
  ) { stage in
    try stage.play { _ in .text("ok") }
    let fields: HTTPFields = [.accept: "text/plain"]
    _ = try await stage.fetch("/1", method: .put, headers: fields, body: .text("first"))
    _ = try await stage.fetch("/2", method: .head)
    _ = try await stage.fetch("/3")
    _ = try await stage.fetch("/4", method: .post)
    let seen = try stage.peer.requests
    try stage.expect(seen.map(\.method), ["PUT", "HEAD", "GET", "POST"], "The methods")
    try stage.expect(seen.map { $0.body.count }, [5, 0, 0, 0], "The lengths of the bodies")
    try stage.expect(seen.map { $0.fields["Accept"] }, ["text/plain", nil, nil, nil], "The fields")
  }
}

extension ConformanceKit {
  static let requestFieldChecks: [ConformanceCheck] = [
    fieldOrder, emptyField, largeField, manyFields, utf8Field, nothingAdded, hostField, ownHost, fieldLimit,
  ]

  private static let fieldOrder = ConformanceCheck(
    "fields keep their order, their case and their repetitions"
  ) { stage in
    try stage.play { _ in .text("ok") }
    let lines = [("X-B", "1"), ("x-a", "2"), ("X-B", "3"), ("Accept", "text/plain"), ("X-b", "4")]
    _ = try await stage.fetch(headers: fields(lines))
    let sent = try stage.peer.requests[0].fields.filter { $0.name != "Host" }
    try stage.expect(sent.map(\.description), lines.map { "\($0.0): \($0.1)" }, "The fields")
  }

  private static let emptyField = ConformanceCheck("a field with an empty value arrives empty") { stage in
    try stage.play { _ in .text("ok") }
    _ = try await stage.fetch(headers: fields([("X-Before", "1"), ("X-Empty", ""), ("X-After", "2")]))
    let seen = try stage.peer.requests[0].fields
    try stage.expect(seen.values(of: "X-Empty"), [""], "The values of X-Empty")
    try stage.expect(seen["X-After"], "2", "The field after it")
  }

  private static let largeField = ConformanceCheck("a field of 32 KiB arrives whole") { stage in
    try stage.play { _ in .text("ok") }
    let value = String(repeating: "0123456789abcdef", count: 2048)
    _ = try await stage.fetch(headers: fields([("X-Large", value)]))
    try stage.expect(stage.peer.requests[0].fields["X-Large"] == value, "Whether the value arrived as it was sent")
  }

  private static let manyFields = ConformanceCheck("five hundred fields arrive in their order") { stage in
    try stage.play { _ in .text("ok") }
    let lines = (0..<500).map { ("X-Field-\($0)", "\($0)") }
    _ = try await stage.fetch(headers: fields(lines))
    let seen = try stage.peer.requests[0].fields.filter { $0.name.hasPrefix("X-Field") }
    try stage.expect(seen.map(\.value), lines.map(\.1), "The values")
  }

  private static let utf8Field = ConformanceCheck("bytes beyond ASCII in a field arrive unchanged") { stage in
    try stage.play { _ in .text("ok") }
    _ = try await stage.fetch(headers: fields([("X-Name", "Żółw — 鶴")]))
    try stage.expect(stage.peer.requests[0].fields["X-Name"], "Żółw — 鶴", "The value")
  }

  private static let nothingAdded = ConformanceCheck(
    "no field is added but Host and the framing of the body", needs: .networking,
    about: "The session sets the fields; a transport adds no Accept or Expect of its own."
  ) { stage in
    try stage.play { _ in .text("ok") }
    _ = try await stage.fetch("/1")
    _ = try await stage.fetch("/2", method: .post, body: .text("body"))
    let names = try stage.peer.requests.map { $0.fields.map { $0.name.lowercased() }.sorted() }
    try stage.expect(names, [["host"], ["content-length", "host"]], "The names of the fields")
  }

  private static let hostField = ConformanceCheck("Host names the URL's host and port", needs: .networking) { stage in
    try stage.play { _ in .text("ok") }
    _ = try await stage.fetch()
    let authority = try stage.request().url.authority
    try stage.expect(stage.peer.requests[0].fields.values(of: "Host"), [authority], "The values of Host")
  }

  private static let ownHost = ConformanceCheck(
    "a Host field of the request replaces the default one", needs: .networking
  ) {
    stage in
    try stage.play { _ in .text("ok") }
    _ = try await stage.fetch(headers: fields([("Host", "a.example.com")]))
    try stage.expect(stage.peer.requests[0].fields.values(of: "Host"), ["a.example.com"], "The values of Host")
  }

  private static let fieldLimit = ConformanceCheck(
    "fields over the limit requestFields are not sent", needs: .networking
  ) { stage in
    try stage.play { _ in .text("ok") }
    var settings = StageSettings()
    settings.limits.requestFields = 1000
    let large = fields([("X-Large", String(repeating: "a", count: 1001))])
    try await stage.expect(error: .limitExceeded(.requestFields), "Fields of 1,001 bytes and more") {
      _ = try await stage.fetch(headers: large, with: settings)
    }
    try stage.expect(stage.peer.requests.count, 0, "The requests that arrived")
  }

  /// Returns fields with their order and the case of their names.
  static func fields(_ lines: [(String, String)]) -> HTTPFields {
    RawFields(lines.map { RawField(name: $0.0, value: $0.1) }).httpFields
  }
}

extension ConformanceKit {
  /// Checks of requests that a transport must refuse before it sends a byte.
  static let requestRuleChecks: [ConformanceCheck] =
    unsendable.map { controlByte($0, $1) } + [neutralised, unsupportedVersion]
    + [.contentLength, .transferEncoding].map { framingField($0) }

  private static let unsendable: [(String, [UInt8])] = [
    ("a control byte", [0x61, 0x01, 0x62]), ("a DEL", [0x61, 0x7F, 0x62]), ("an escape", Array("\u{1B}[2J".utf8)),
  ]

  private static func controlByte(_ what: String, _ value: [UInt8]) -> ConformanceCheck {
    ConformanceCheck("\(what) in a field's value is refused before a byte is sent", about: "RFC 9110 section 5.5.") {
      stage in
      try await expectRefusal(HTTPField(name: xValue, lenientValue: value), what, on: stage)
    }
  }

  private static func framingField(_ name: HTTPField.Name) -> ConformanceCheck {
    ConformanceCheck(
      "\(name.rawName) among a request's fields is refused", needs: .networking,
      about: "The transport sets the framing; a request with two framings allows request smuggling."
    ) { stage in
      try await expectRefusal(HTTPField(name: name, value: "5"), name.rawName, on: stage)
    }
  }

  private static let xValue = HTTPField.Name(constant: "X-Value")

  private static func only(_ field: HTTPField) -> HTTPFields {
    var fields = HTTPFields()
    fields.append(field)
    return fields
  }

  private static func expectRefusal(
    _ field: HTTPField, _ what: String, on stage: ConformanceStage
  ) async throws {
    let fields = only(field)
    try stage.play { _ in .text("ok") }
    try await stage.expect(error: .invalidRequest, "A request with \(what)") {
      _ = try await stage.fetch(headers: fields)
    }
    try stage.expect(stage.peer.requests.count, 0, "The requests that arrived")
    try stage.expect(try await stage.fetch("/next").text, "ok", "The next request")
  }

  private static let unsupportedVersion = ConformanceCheck(
    "a version of HTTP that the transport does not support is refused before a byte is sent", needs: .networking,
    about: "The request requires the version, so the transport uses no other."
  ) { stage in
    try stage.play { _ in .text("ok") }
    for (version, capability) in [(ProtocolVersion.http2, TransportCapabilities.http2), (.http3, .http3)]
    where !stage.transport.capabilities.contains(capability) {
      var request = try stage.request()
      request.options.version = version
      let refused = request
      try await stage.expect(error: .invalidRequest, "A request for \(version)") { _ = try await stage.fetch(refused) }
    }
    try stage.expect(stage.peer.requests.count, 0, "The requests that arrived")
  }

  private static let neutralised = ConformanceCheck(
    "a line break that swift-http-types has replaced puts no second line on the wire"
  ) { stage in
    try stage.play { _ in .text("ok") }
    _ = try await stage.fetch(headers: only(HTTPField(name: xValue, value: "a\r\nX-Injected: b\0")))
    let seen = try stage.peer.requests[0].fields
    try stage.expect(seen["X-Injected"], nil, "An injected field")
    try stage.expect(seen.values(of: "X-Value").count, 1, "The number of X-Value fields")
  }
}
