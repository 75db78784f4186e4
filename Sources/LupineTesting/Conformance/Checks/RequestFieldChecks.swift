import HTTPTypes
import LupineCore

extension ConformanceKit {
  static let requestFieldChecks: [ConformanceCheck] = [
    fieldOrder, emptyField, largeField, manyFields, utf8Field, nothingAdded, hostField, fieldLimit,
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

  private static let utf8Field = ConformanceCheck("bytes beyond ASCII in a field arrive as they are") { stage in
    try stage.play { _ in .text("ok") }
    _ = try await stage.fetch(headers: fields([("X-Name", "Żółw — 鶴")]))
    try stage.expect(stage.peer.requests[0].fields["X-Name"], "Żółw — 鶴", "The value")
  }

  private static let nothingAdded = ConformanceCheck(
    "no field is added but Host and the framing of the body", needs: .networking,
    about: "The session decides on fields; a transport that adds an Accept or an Expect of its own hides what is sent."
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
