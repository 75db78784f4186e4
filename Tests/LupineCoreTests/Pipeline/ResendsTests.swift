import HTTPTypes
import LupineFoundation
@testable import LupineSession
import Testing

@testable import LupineCore

/// The decisions of the value; `ResendingTests` has what a session does.
@Suite struct ResendsTests {
  private static func lost(isReused: Bool = true, firstByte: Duration? = nil) -> LupineError {
    var metrics = TransferMetrics()
    metrics.isConnectionReused = isReused
    metrics.firstByte = firstByte
    return LupineError(.connectionLost, "The connection was lost.").measured(metrics)
  }

  private static let unprocessed = LupineError(.connectionLost, "The server refused it.").unprocessed()

  private func outcome(
    _ resends: inout Resends, _ error: LupineError, method: HTTPRequest.Method = .get, body: RequestBody = .none
  ) throws -> String {
    let request = try OutgoingRequest("https://example.com/", method: method, body: body)
    do throws(LupineError) {
      return "\(try resends.add(request, after: error))"
    } catch {
      return error.message
    }
  }

  @Test func `a reused connection that was lost before the response is a reason for an idempotent request`() throws {
    var resends = Resends()
    #expect(try outcome(&resends, Self.lost(), method: .post) == "The connection was lost.")
    #expect(try outcome(&resends, Self.lost(isReused: false)) == "The connection was lost.")
    #expect(try outcome(&resends, Self.lost(firstByte: .milliseconds(1))) == "The connection was lost.")
    #expect(try outcome(&resends, LupineError(.timedOut(.idle), "Too long.")) == "Too long.")
    #expect(!resends.needsNewConnection)
    #expect(try outcome(&resends, Self.lost()) == "lost")
    #expect(resends.needsNewConnection)
  }

  @Test func `losses count to three, and all resends to sixteen`() throws {
    var resends = Resends()
    for _ in 0..<3 { #expect(try outcome(&resends, Self.lost()) == "lost") }
    #expect(try outcome(&resends, Self.lost()) == "The connection was lost. It was sent again 3 times.")
    for _ in 3..<16 { #expect(try outcome(&resends, Self.unprocessed, method: .post) == "unprocessed") }
    #expect(
      try outcome(&resends, Self.unprocessed, method: .post) == "The server refused it. It was sent again 16 times.")
  }

  @Test func `a body that can be sent once, and has been read, is not sent again`() throws {
    var resends = Resends()
    let body = RequestBody.oneShot(AsyncThrowingStream { nil })
    #expect(try outcome(&resends, Self.unprocessed, method: .put, body: body) == "unprocessed")
    body.abandon()
    #expect(
      try outcome(&resends, Self.unprocessed, method: .put, body: body)
        == "The server refused it. It was not sent again: the request's body can be sent only once.")
  }

  @Test(
    arguments: [
      (417, "100-continue", TransportResponse.Source.origin, true), (417, "100-Continue", .origin, true),
      (417, nil, .origin, false), (417, "other", .origin, false), (417, "100-continue", .proxy, false),
      (400, "100-continue", .origin, false),
    ] as [(Int, String?, TransportResponse.Source, Bool)])
  func `a refused expectation is left out once`(
    status: Int, field: String?, source: TransportResponse.Source, isSentAgain: Bool
  ) throws {
    var request = try OutgoingRequest("https://example.com/", method: .put, body: .text("a"))
    request.headers[.expect] = field
    let response = TransportResponse(
      head: HTTPResponse(status: .init(code: status)), body: .complete(Data()), source: source)
    let next = Resends.withoutExpectation(request, after: response)
    #expect((next != nil) == isSentAgain)
    #expect(next?.headers[.expect] == nil)
    #expect(next.flatMap { Resends.withoutExpectation($0, after: response) } == nil)
  }
}
