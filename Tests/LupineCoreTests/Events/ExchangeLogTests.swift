import HTTPTypes
import LupineSession
import LupineFixtures
import LupineMock
import LupineTransfers
import Testing

@testable import LupineCore

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

  @Test func `a redirect, a failure and a retry are logged in order`() async throws {
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
              status 302, 0 bytes
              redirected to https://example.com/new: status 302
            GET https://example.com/new
              status 503, 0 bytes
            refused: The status 503 is not acceptable; 200..<300 would be.
            retried
          attempt 2
            GET https://example.com/old
              status 302, 0 bytes
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
    #expect(log.decisions.last?.text == "not retried: no retrier requested it: POST is not idempotent")
    #expect(log.description.contains("failed with connectionRefused after"))
  }

  @Test func `a challenge is logged with its answer`() async throws {
    let log = try await log {
      $0.stub(.get, "/", count: .once, .challenge("Basic realm=\"staff\""))
      $0.stub(.get, "/", .status(.ok))
    } _: {
      $0.request("https://example.com/").authenticate(username: "user", password: "secretRw4uPz8nYc")
    }
    #expect(log.attempts.map { $0.hops.map(\.status) } == [[401, 200]])
    #expect(log.decisions.first?.text == "challenge answered: status 401 and a credential")
    #expect(!log.description.contains("secretRw4uPz8nYc"))
  }

  @Test func `a challenge without a credential is logged with the reason`() async throws {
    let log = try await log {
      $0.stub(.get, "/", .challenge("Basic realm=\"staff\""))
    } _: {
      $0.request("https://example.com/")
    }
    #expect(log.decisions.first?.text == "challenge not answered: the request has no credential")
  }

  @Test(arguments: 4...7)
  func `the number of logs is limited, and the oldest are removed first`(count: UInt64) async throws {
    let mock = MockTransport()
    mock.stub(.get, "/", .status(.ok))
    let exchanges = ExchangeLogMonitor(limit: 3)
    let session = try Session.Builder().transport(mock).monitor(exchanges).build()
    for _ in 0..<count { _ = await session.request("https://example.com/").serializingData().response }
    #expect(exchanges.logs.map(\.id.rawValue) == [count - 2, count - 1, count])
    #expect(exchanges.log(of: RequestID(1)) == nil)
  }

  @Test func `a log monitor may have no limit`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/", .status(.ok))
    let exchanges = ExchangeLogMonitor(limit: .max)
    let session = try Session.Builder().transport(mock).monitor(exchanges).build()
    for _ in 1...3 { _ = await session.request("https://example.com/").serializingData().response }
    #expect(exchanges.logs.count == 3)
  }

  @Test func `an event of another request is left out`() {
    var log = ExchangeLog(SessionEvent(request: RequestID(1), attempt: 0, time: .zero, kind: .resumed))
    log.record(SessionEvent(request: RequestID(2), attempt: 0, time: .zero, kind: .finished(nil)))
    #expect(log.ended == nil)
    #expect(log.outline == "#1 a request that could not be created: still running\n  resumed")
  }

  @Test func `an endless request keeps its first and its newest events`() throws {
    let request = RequestSummary(method: .get, url: try HTTPURL("https://example.com/"))
    let exchanges = ExchangeLogMonitor()
    func receive(_ kind: SessionEvent.Kind, _ attempt: Int) {
      exchanges.receive(SessionEvent(request: RequestID(1), attempt: attempt, time: .zero, kind: kind))
    }
    receive(.started(request), 0)
    for attempt in 1...3_000 { receive(.attempting(request), attempt) }
    let log = try #require(exchanges.log(of: RequestID(1)))
    #expect(log.request == request)
    #expect(log.attempts.map(\.number) == Array(2_001...3_000))
  }

  @Test func `the decisions of an endless attempt stay with it and its exchange`() throws {
    let request = RequestSummary(method: .get, url: try HTTPURL("https://example.com/"))
    let exchanges = ExchangeLogMonitor()
    func receive(_ kind: SessionEvent.Kind, _ attempt: Int = 2) {
      exchanges.receive(SessionEvent(request: RequestID(1), attempt: attempt, time: .zero, kind: kind))
    }
    receive(.started(request), 0)
    let exchange: [SessionEvent.Kind] = [
      .attempting(request), .sending(request, SentFields([:])), .head(HTTPResponse(status: .ok)),
    ]
    for attempt in 1...2 {
      for kind in exchange { receive(kind, attempt) }
    }
    for _ in 1...3_000 { receive(.suspended) }
    let log = try #require(exchanges.log(of: RequestID(1)))
    #expect(log.preparation.isEmpty)
    #expect(log.attempts.map(\.number) == [2])
    #expect(log.attempts.map { $0.hops.map(\.status) } == [[200]])
    #expect(log.decisions.count == 1_000)
  }

  @Test func `reading the logs does not change a running request`() throws {
    let request = RequestSummary(method: .get, url: try HTTPURL("https://example.com/"))
    let exchanges = ExchangeLogMonitor(limit: 2)
    func receive(_ kind: SessionEvent.Kind, _ id: UInt64) {
      exchanges.receive(SessionEvent(request: RequestID(id), attempt: 0, time: .zero, kind: kind))
    }
    for id: UInt64 in 1...3 { receive(.started(request), id) }
    #expect(exchanges.logs.map(\.id.rawValue) == [2, 3])
    receive(.resumed, 1)
    #expect(exchanges.logs.map(\.id.rawValue) == [2, 3])
    #expect(exchanges.log(of: RequestID(1)) == nil)
  }

  @Test func `events before the first attempt are logged as well`() async throws {
    struct Failing: RequestAdapter {
      func adapt(_ request: OutgoingRequest, for session: Session) async throws -> OutgoingRequest {
        throw LupineError(.adaptationFailed, "no token")
      }
    }
    let log = try await log { _ in
    } _: {
      $0.request("https://example.com/").adapter(Failing())
    }
    #expect(log.preparation.map(\.kind) == [.failure, .retry])
    #expect(log.decisions == log.preparation)
    #expect(log.description.contains("\n  failed: no token"))
  }
}

extension ExchangeLogTests {
  /// The log of a download whose connection is lost after four of ten bytes, and that is retried.
  private func download(_ second: MockReply...) async throws -> ExchangeLog {
    let folder = try TemporaryFolder()
    let mock = MockTransport()
    let first = MockReply.text("0123456789").field(.eTag, "\"v1\"").reset(afterBytes: 4)
    mock.stub(.get, "https://example.com/a", .sequence([first] + second))
    let exchanges = ExchangeLogMonitor()
    let session = try Session.Builder().transport(mock).clock(ImmediateClock()).monitor(exchanges)
      .retrier(.backoff(limit: 1)).build()
    let request = session.download("https://example.com/a", to: .file(folder.file("a")))
    _ = try await request.serializingFile().value
    return try #require(exchanges.log(of: request.id))
  }

  private func rest(_ range: String) -> MockReply {
    .text("456789", status: .partialContent).field(.contentRange, range).field(.eTag, "\"v1\"")
  }

  @Test func `a download that continues is logged with its offset and the reason`() async throws {
    let log = try await download(rest("bytes 4-9/10"))
    #expect(
      log.decisions.filter { $0.kind == .continuation }.map(\.text) == [
        "continuing from byte 4: the server has the same file"
      ])
  }

  @Test func `a download that restarts is logged with the reason, between the two exchanges`() async throws {
    let log = try await download(rest("bytes 3-8/10"), .text("0123456789"))
    let reason = "restarting: the server sent another part of the file, or another file"
    #expect(log.decisions.filter { $0.kind == .continuation }.map(\.text) == [reason])
    let lines = log.outline.split(separator: "\n").map(String.init)
    let index = try #require(lines.firstIndex(of: "      " + reason))
    #expect(lines[index - 1].hasPrefix("      status 206"))
    #expect(lines[(index + 1)...].first == "    GET https://example.com/a")
  }

  @Test func `a whole file in answer to a range request is logged as a restart`() async throws {
    let log = try await download(.text("0123456789"))
    #expect(
      log.decisions.filter { $0.kind == .continuation }.map(\.text) == [
        "restarting: the server sent the file from its beginning"
      ])
  }

  @Test func `a wait for a connection and a warning stand at their exchange`() throws {
    let request = RequestSummary(method: .get, url: try HTTPURL("https://example.com/"))
    func event(_ kind: SessionEvent.Kind) -> SessionEvent {
      SessionEvent(request: RequestID(1), attempt: 1, time: .zero, kind: kind)
    }
    var log = ExchangeLog(event(.attempting(request)))
    for kind in [
      SessionEvent.Kind.sending(request, SentFields([:])), .queued(reason: "the host has its 6"),
      .warning("not verified"),
    ] {
      log.record(event(kind))
    }
    #expect(log.decisions.map(\.kind) == [.queue, .warning])
    #expect(log.decisions.map(\.text) == ["queued: the host has its 6", "warning: not verified"])
    #expect(log.description.contains("no response\n      queued: the host has its 6\n      warning: not verified"))
    #expect(!log.outline.contains("queued"))
  }
}
