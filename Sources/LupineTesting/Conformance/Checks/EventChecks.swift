import HTTPTypes
import LupineCore
import LupineFoundation

extension ConformanceKit {
  /// Checks of the events of every exchange.
  static let eventChecks: [ConformanceCheck] = [
    sent("a request without a body", .none, method: .get, [0]),
    sent("a POST without a body", .none, [0]),
    sent("an empty body", .bytes(Data()), [0]),
    sent("an empty stream of known length", .stream(length: 0) { StepSequence([]) }, [0], needs: .streamedUploads),
    sent("a body of known length", .bytes(Data(numberedBytes(100_000))), [100_000]),
    sent(
      "a body of unknown length", .stream { StepSequence([.text("abc"), .text("def")]) }, [6], needs: .streamedUploads),
    ConformanceCheck("an empty file is reported as sent, once", about: "The event `sent`.") { stage in
      try stage.play { _ in .text("ok") }
      let file = try TemporaryFile()
      let response = try await stage.fetch(method: .post, body: .file(file.path))
      try stage.expect(response.log.sent, [0], "The numbers of bytes of the events")
    },
  ]

  private static func sent(
    _ what: String, _ body: RequestBody, method: HTTPRequest.Method = .post, _ expected: [Int64],
    needs: TransportCapabilities = []
  ) -> ConformanceCheck {
    ConformanceCheck("\(what) is reported as sent, once", needs: needs, about: "The event `sent`.") { stage in
      try stage.play { _ in .text("ok") }
      // On a new connection, then perhaps on a used one.
      for _ in 0..<2 {
        let response = try await stage.fetch(method: method, body: body)
        try stage.expect(response.log.sent, expected, "The numbers of bytes of the events")
      }
    }
  }
}
