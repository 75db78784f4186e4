import Foundation
import HTTPTypes
import Testing

@testable import LupineCore

@Suite struct LupineErrorTests {
  private static let url = "https://a.example.com/x?token=hidden#f"

  @Test func `the description has the message, the request and the status`() throws {
    let request = try OutgoingRequest(Self.url, method: .post)
    let error = LupineError(.other, "It broke.").about(request.summary).about(HTTPResponse(status: .notFound))
    #expect(error.description == "It broke. [POST https://a.example.com/x?…] [status 404]")
  }

  @Test func `the first request, response and metrics that an error is given stay`() throws {
    let error = LupineError(.other, "")
      .about(try OutgoingRequest("https://a.example.com/").summary).about(try OutgoingRequest("https://b.org/").summary)
      .about(HTTPResponse(status: .notFound)).about(HTTPResponse(status: .ok))
    #expect(error.request?.url == "https://a.example.com/")
    #expect(error.response?.status == .notFound)
  }

  @Test func `control bytes in a message are escaped, its lines stay`() {
    #expect(LupineError(.other, "a\u{1B}[2J\r\nb\u{0}").message == "a\\u{1B}[2J\\u{D}\nb\\u{0}")
  }

  @Test func `secret fields of its response are redacted, the marked ones on request`() {
    let head = HTTPResponse(status: .ok, headerFields: [.setCookie: "s", .custom: "c", .server: "x"])
    let error = LupineError(.other, "").about(head)
    #expect(error.response?.headerFields[.setCookie] == "<redacted>")
    #expect(error.response?.headerFields[.custom] == "c")
    let hidden = error.redacted(SecretFields(names: [.custom]))
    #expect(hidden.response?.headerFields[.custom] == "<redacted>")
    #expect(hidden.response?.headerFields[.server] == "x")
  }

  @Test func `a note is added to the message and the rest stays`() {
    let error = LupineError(.connectionLost, "Lost.").measured(TransferMetrics()).appending("Not again.")
    #expect(error.message == "Lost. Not again.")
    #expect(error.metrics != nil)
  }

  @Test func `people read its message wherever Foundation shows an error`() {
    let error = LupineError(.connectionRefused, "The server refused the connection.")
    #expect((error as any Error).localizedDescription == "The server refused the connection.")
    let localized: any LocalizedError = error
    #expect(localized.errorDescription == error.message)
  }

  @Test func `isCancelled identifies a cancellation, because the error is no CancellationError`() {
    let error = LupineError(.cancelled, "The request was cancelled.")
    #expect(error.isCancelled)
    #expect(!((error as any Error) is CancellationError))
    #expect(!LupineError(.timedOut(.total), "").isCancelled)
    #expect(!LupineError(.other, "", underlying: CancellationError()).isCancelled)
  }

  @Test(arguments: [
    (LupineError.Kind.timedOut(.total), "timedOut(total)"), (.connectionLost, "connectionLost"),
    (.limitExceeded(.redirects), "limitExceeded(redirects)"),
    (.unacceptableStatusCode(404), "unacceptableStatusCode(404)"),
    (.unacceptableContentType("text/html"), #"unacceptableContentType(Optional("text/html"))"#),
    (.configuration([.init(part: "trust", reason: "no")]), "configuration([trust: no])"),
    (.plugin("stale"), "plugin(stale)"),
  ])
  func `the text of a kind names no module`(kind: LupineError.Kind, text: String) {
    #expect("\(kind)" == text)
  }
}
