import HTTPTypes
import LupineCore
import LupineMock
import Testing

@Suite struct ExchangeLogTests {
  private func log(
    _ stubs: (MockTransport) -> Void, _ request: (Session) -> DataRequest
  ) async throws -> ExchangeLog {
    let mock = MockTransport()
    stubs(mock)
    let exchanges = ExchangeLogMonitor()
    let session = try Session.Builder().transport(mock).clock(ImmediateClock()).random { .max }.monitor(exchanges)
      .retrier(.backoff(limit: 1)).build()
    let made = request(session)
    _ = await made.serializingData().response
    return try #require(exchanges.log(of: made.id))
  }

  @Test func `a redirect, a failure and a retry are told in order`() async throws {
    let log = try await log {
      $0.stub(.get, "https://example.com/old", .redirect(to: "/new"))
      $0.stub(.get, "https://example.com/new", .sequence([.status(.serviceUnavailable), .text("here")]))
    } _: {
      $0.request("https://example.com/old").validate()
    }
    #expect(log.attempts.map { $0.hops.map(\.status) } == [[302, 503], [302, 200]])
    #expect(
      log.decisions.map(\.kind) == [.redirect, .validation, .retry, .redirect, .validation])
    #expect(
      log.outline == """
        #1 GET https://example.com/old: status 200, 2 attempts
          attempt 1
            GET https://example.com/old
              status 302
              redirected to https://example.com/new: status 302
            GET https://example.com/new
              status 503, 0 bytes
            refused: The status 503 is not acceptable; 200..<300 would be.
            retried
          attempt 2
            GET https://example.com/old
              status 302
              redirected to https://example.com/new: status 302
            GET https://example.com/new
              status 200, 4 bytes
            accepted
        """)
    #expect(log.description.contains("retried after 499.99 ms"))
    #expect(log.ended == log.decisions.last?.time)
  }

  @Test func `a failure names its reason, and why it was not retried`() async throws {
    let log = try await log {
      $0.stub(.post, "/", .fault(.connectionRefused))
    } _: {
      $0.request("https://example.com/", method: .post)
    }
    #expect(log.failure?.kind == .connectionRefused)
    #expect(log.decisions.map(\.kind) == [.failure, .retry])
    #expect(log.decisions.last?.text == "not retried: no retrier asked for it: POST is not idempotent")
    #expect(log.description.contains("failed with connectionRefused after"))
  }

  @Test func `a challenge is told with its answer`() async throws {
    let log = try await log {
      $0.stub(.get, "/", count: .once, .challenge("Basic realm=\"staff\""))
      $0.stub(.get, "/", .status(.ok))
    } _: {
      $0.request("https://example.com/").authenticate(username: "user", password: "secret")
    }
    #expect(log.attempts.map { $0.hops.map(\.status) } == [[401, 200]])
    #expect(log.decisions.first?.text == "challenge answered: status 401 and a credential")
    #expect(!log.description.contains("secret"))
  }

  @Test func `a challenge without a credential says so`() async throws {
    let log = try await log {
      $0.stub(.get, "/", .challenge("Basic realm=\"staff\""))
    } _: {
      $0.request("https://example.com/")
    }
    #expect(log.decisions.first?.text == "challenge not answered: the request has no credential")
  }

  @Test func `the oldest logs go first`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/", .status(.ok))
    let exchanges = ExchangeLogMonitor(limit: 3)
    let session = try Session.Builder().transport(mock).monitor(exchanges).build()
    for _ in 0..<6 { _ = await session.request("https://example.com/").serializingData().response }
    #expect(exchanges.logs.map(\.id.rawValue) == [4, 5, 6])
  }

  @Test func `an event of another request is left out`() {
    var log = ExchangeLog(SessionEvent(request: RequestID(1), attempt: 0, time: .zero, kind: .resumed))
    log.record(SessionEvent(request: RequestID(2), attempt: 0, time: .zero, kind: .finished(nil)))
    #expect(log.ended == nil)
    #expect(log.description == "#1 a request that could not be made: still running")
  }
}
