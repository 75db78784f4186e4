import HTTPTypes
import LupineCore
import LupineSupport

extension ConformanceKit {
  /// Checks of requests that a transport must refuse before it sends a byte.
  static let requestRuleChecks: [ConformanceCheck] =
    unsendable.map { controlByte($0, $1) } + [neutralised]
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
      about: "The framing is the transport's; two framings are how requests are smuggled."
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
