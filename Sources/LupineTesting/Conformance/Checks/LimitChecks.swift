import HTTPTypes
import LupineCore

extension ConformanceKit {
  /// Checks of the session's limits, which a transport applies while bytes arrive.
  static let limitChecks: [ConformanceCheck] = [
    exceeded("fields without end", .responseFieldCount, .wire(.endlessFields), needs: .networking),
    exceeded("fields of any number", .responseFields, .wire(.endlessFields), needs: .networking) {
      $0.responseFieldCount = 60_000
    },
    exceeded("a field of 200 KB", .responseFields, .text("", fields: ["X-Oversized": long(200_000)])),
    exceeded("1,001 fields", .responseFieldCount, manyFields(1001)),
    exceeded(
      "interim responses without end", .informationalResponses, .wire(.endlessInformational), needs: .networking),
    exceeded("33 interim responses", .informationalResponses, hints(33), needs: .informationalResponses),
    exceeded("trailers without end", .trailers, .wire(.endlessTrailers), received: 5...5, needs: .networking),
    exceeded(
      "extensions of chunks without end", .chunkExtensions, .wire(.endlessChunkExtension),
      needs: [.networking, .strictFraming]),
    exceeded(
      "extensions of any number of chunks", .chunkExtensions, .wire(extendedChunks), received: 0...(.max),
      needs: [.networking, .strictFraming]),
    exceeded(
      "a trailer of 20 KB", .trailers, .chunks([.text("hello")], trailers: ["X-Oversized": long(20_000)]),
      received: 5...5, needs: .trailers),
    exceeded(
      "a body without end", .responseBody, .wire(.endlessBody), received: (1 << 20) + 1 ... .max, needs: .networking),
    within("a thousand fields", manyFields(1000)) { $0.head.headerFields.count == 1_000 },
    within("32 interim responses", hints(32), needs: .informationalResponses) { $0.log.informational.count == 32 },
  ]

  /// Chunks of one byte, each with an extension of 100 bytes, without end.
  private static let extendedChunks: ScriptedReply = [
    .head(status: 200, fields: ["Transfer-Encoding": "chunked"]),
    .repeat(Array("1;\(long(99))\r\na\r\n".utf8)),
  ]

  private static func long(_ count: Int) -> String { String(repeating: "a", count: count) }

  /// A response with `count` fields, including `Content-Length`.
  private static func manyFields(_ count: Int) -> PeerReply {
    .text("", fields: RawFields((1..<count).map { RawField(name: "X-\($0)", value: "a") }))
  }

  private static func hints(_ count: Int) -> PeerReply {
    .make { $0.informational = (0..<count).map { _ in (status: 103, fields: [:]) } }
  }

  private static func exceeded(
    _ what: String, _ limit: Limits.Name, _ reply: PeerReply, received: ClosedRange<Int64> = 0...0,
    needs: TransportCapabilities = [], change: @escaping @Sendable (inout Limits) -> Void = { _ in }
  ) -> ConformanceCheck {
    let verb = what.hasPrefix("a ") ? "exceeds" : "exceed"
    return ConformanceCheck("\(what) \(verb) the limit \(limit.rawValue)", needs: needs) { stage in
      try stage.play { $0.target == "/next" ? .text("next") : reply }
      var settings = StageSettings()
      settings.sink = .collect(limit: 1 << 20)
      change(&settings.limits)
      let error = try await stage.expect(error: .limitExceeded(limit), "The response") {
        _ = try await stage.fetch(with: settings)
      }
      try stage.expect(received: received, by: error)
      try stage.expect(try await stage.fetch("/next").text, "next", "The next response")
      if let count = try stage.peer.connectionCount { try stage.expect(count, 2, "The connections made") }
    }
  }

  private static func within(
    _ what: String, _ reply: PeerReply, needs: TransportCapabilities = [],
    _ isWhole: @escaping @Sendable (FetchedResponse) -> Bool
  ) -> ConformanceCheck {
    ConformanceCheck("\(what) are within the limit", needs: needs) { stage in
      try stage.play { _ in reply }
      try stage.expect(isWhole(try await stage.fetch()), "Whether all of them arrive")
    }
  }
}
