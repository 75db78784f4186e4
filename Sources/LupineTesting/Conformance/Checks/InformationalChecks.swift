import HTTPTypes
import LupineCore

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
    "the sink is asked once, for the final head", needs: .informationalResponses
  ) { stage in
    try stage.play { _ in
      .make { response in
        response.informational = [(103, [:])]
        response.status = 404
        response.body = [.text("nothing")]
      }
    }
    let response = try await stage.fetch()
    try stage.expect(response.log.heads.map(\.status.code), [404], "The heads that the sink was asked about")
  }
}
