import HTTPTypes
import LupineCore

extension ConformanceKit {
  /// What a peer may send at most (S18); the session's limits, kept where the bytes arrive.
  static let limitChecks: [ConformanceCheck] = [
    exceeded("fields without end", .responseFieldCount, .endlessFields),
    exceeded("fields of any number", .responseFields, .endlessFields) { $0.responseFieldCount = 60_000 },
    exceeded("a field of 200 KB", .responseFields, .oversizedField(bytes: 200_000)),
    exceeded("1,001 fields", .responseFieldCount, manyFields(1001)),
    exceeded("interim responses without end", .informationalResponses, .endlessInformational),
    exceeded("trailers without end", .trailers, .endlessTrailers),
    exceeded("a body without end", .responseBody, .endlessBody),
    atLimit,
  ]

  private static func manyFields(_ count: Int) -> ScriptedReply {
    let lines = (0..<count).map { RawField(name: "X-\($0)", value: "a") }
    return .respond(fields: RawFields(lines.dropLast()))
  }

  private static func exceeded(
    _ what: String, _ limit: Limits.Name, _ reply: ScriptedReply,
    change: @escaping @Sendable (inout Limits) -> Void = { _ in }
  ) -> ConformanceCheck {
    ConformanceCheck("\(what) exceed\(what.hasPrefix("a ") ? "s" : "") the limit \(limit.rawValue)", needs: .networking)
    {
      stage in
      try stage.play { $0.target == "/next" ? .text("next") : .wire(reply) }
      var settings = ExchangeSettings()
      settings.sink = .collect(limit: 1 << 20)
      change(&settings.limits)
      try await stage.expect(error: .limitExceeded(limit), "The response") { _ = try await stage.fetch(with: settings) }
      try stage.expect(try await stage.fetch("/next").text, "next", "The next response")
      try stage.expect(stage.peer.connectionCount, 2, "The connections made")
    }
  }

  private static let atLimit = ConformanceCheck("a thousand fields are within the limit", needs: .networking) { stage in
    try stage.play { _ in .wire(manyFields(1000)) }
    try stage.expect(try await stage.fetch().head.headerFields.count, 1000, "The number of fields")
  }
}
