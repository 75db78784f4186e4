import FoundationEssentials
import HTTPTypes
import LupineCore

extension ConformanceKit {
  /// `Expect: 100-continue` (RFC 9110 section 10.1.1).
  static let continueChecks: [ConformanceCheck] = [granted, refused(417), refused(401), notAsked]

  private static func expecting(_ body: String, on stage: ConformanceStage) throws -> OutgoingRequest {
    var request = try stage.request("/expecting", method: .post, body: .text(body))
    request.options.expectsContinue = true
    return request
  }

  private static let granted = ConformanceCheck("a body that waits for 100 follows it", needs: .networking) { stage in
    try stage.play { _ in .text("ok") }
    let response = try await stage.fetch(expecting("the body", on: stage))
    try stage.expect(response.text, "ok", "The body")
    let seen = try stage.peer.requests[0]
    try stage.expect(seen.fields["Expect"]?.lowercased(), "100-continue", "Expect")
    try stage.expect(bytes: seen.body, Array("the body".utf8), "The body that arrived")
  }

  private static func refused(_ status: Int) -> ConformanceCheck {
    ConformanceCheck(
      "a \(status) in place of 100 leaves the body unsent", needs: .networking,
      about: "The connection is not used again: the peer may wait for the body still (S21)."
    ) { stage in
      try stage.play(readsBody: false) { request in
        request.target == "/next" ? .text("next") : .text("refused", status: status)
      }
      let response = try await stage.fetch(expecting("the body", on: stage))
      try stage.expect(response.status, status, "The status")
      try stage.expect(response.text, "refused", "The body")
      try stage.expect(stage.peer.requests.count, 1, "How often the request was sent")
      try stage.expect(stage.peer.requests[0].body.count, 0, "The bytes of the body that arrived")
      try stage.expect(try await stage.fetch("/next").text, "next", "The next response")
      try stage.expect(stage.peer.connectionCount, 2, "The connections made")
    }
  }

  private static let notAsked = ConformanceCheck("no request waits for 100 unasked", needs: .networking) { stage in
    try stage.play { _ in .text("ok") }
    _ = try await stage.fetch(method: .put, body: .bytes(.init(numberedBytes(2 << 20))))
    try stage.expect(stage.peer.requests[0].fields["Expect"], nil, "Expect")
  }
}
