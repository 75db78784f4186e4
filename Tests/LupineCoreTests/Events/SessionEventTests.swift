import FoundationEssentials
import HTTPTypes
import LupineMock
@testable import LupineSession
import Testing

@testable import LupineCore

@Suite struct SessionEventTests {
  @Test func `the events of a request come in the order of its course`() async throws {
    let bench = TestBed(.text("hello"))
    _ = await (try bench.session()).request(TestBed.url).validate().serializingData().response
    #expect(
      bench.log.names == [
        "started", "attempting", "sending", "connected", "sent", "head", "received", "validated", "finished",
        "serialized",
      ])
    #expect(bench.log.all.map(\.attempt) == [0, 1, 1, 1, 1, 1, 1, 1, 0, 0])
    #expect(Set(bench.log.all.map(\.request)).count == 1)
  }

  @Test func `a redirect, a challenge and a retry explain themselves`() async throws {
    let bench = TestBed { mock in
      mock.stub(.get, "/old", .redirect(to: "/new"))
      mock.stub(.get, "/new", .sequence([.challenge("Basic realm=x"), .reset, .text("hello")]))
    }
    let session = try bench.session { $0.retrier(.backoff()) }
    _ = await session.request("https://a.example.com/old").authenticate(username: "u", password: "p")
      .serializingData().response
    #expect(
      bench.log.names == [
        "started", "attempting", "sending", "connected", "sent", "head", "redirected", "received", "sending",
        "connected",
        "sent", "head", "received", "challenged", "sending", "connected", "sent", "failed", "retrying", "attempting",
        "sending", "connected", "sent", "head", "redirected", "received", "sending", "connected", "sent", "head",
        "received", "validated", "finished", "serialized",
      ])
  }

  @Test func `a monitor receives the kinds of events that it wants`() async throws {
    let (few, none, own) = (Notes<String>(), Notes<String>(), Notes<String>())
    let bench = TestBed(.text("hello"))
    let session = try Session.Builder().transport(bench.mock)
      .monitor(.custom(for: [.head, .finished]) { few.add("\($0.kind)") })
      .monitor(.custom(for: []) { none.add("\($0.kind)") })
      .build()
    _ = await session.request(TestBed.url).monitor(.custom(for: .sent) { own.add("\($0.kind)") }).serializingData()
      .response
    #expect(few.all == ["status 200", "finished"])
    #expect(none.all == [])
    #expect(own.all == ["sent, 0 bytes of body"])
  }

  @Test func `the end of a response that an interceptor replaces is emitted once, when it comes`() async throws {
    let bench = TestBed { $0.stub(.get, "/x", .sequence([.text("old"), .text("new")])) }
    let request = try bench.session().request("https://a.example.com/x").interceptor(Again())
    #expect(try await request.serializingString().value == "new")
    #expect(
      bench.log.names == [
        "started", "attempting", "sending", "connected", "sent", "head", "received", "sending", "connected", "sent",
        "head", "received", "validated", "finished", "serialized",
      ])
  }

  @Test func `every monitor receives every event`() async throws {
    let second = EventLog()
    let bench = TestBed()
    _ = await (try bench.session { $0.monitor(second) }).request(TestBed.url).serializingData().response
    #expect(second.names == bench.log.names)
  }

  @Test func `a closure is a monitor`() async throws {
    let names = Notes<String>()
    let session = try TestBed().session { $0.monitor(.custom { _ in names.add("session") }) }
    _ = await session.request(TestBed.url).monitor(.custom { names.add("request \($0.attempt)") }).serializingData()
      .response
    #expect(names.all.starts(with: ["session", "request 0"]))
  }

  @Test func `interim responses are events`() async throws {
    let hints = HTTPResponse(status: .init(code: 103), headerFields: [.setCookie: "secret"])
    let bench = TestBed(.text("x").informational([hints]))
    _ = await (try bench.session()).request(TestBed.url).serializingData().response
    let heard = bench.log.all.compactMap { if case .informational(let head) = $0.kind { head } else { nil } }
    #expect(heard.map { $0.headerFields[.setCookie] } == ["<redacted>"])
  }

  @Test func `the fields of a request are seen as they are sent, and without secrets`() async throws {
    let bench = TestBed()
    let session = try bench.session { $0.header("X-Trace", "42").header(.userAgent, "tests/1") }
    let request = session.request(TestBed.url, headers: [.authorization(bearerToken: "secret"), .accept("text/plain")])
    _ = await request.serializingData().response
    let events = bench.log.all.compactMap { if case .sending(_, let fields) = $0.kind { fields } else { nil } }
    let sent = events.map(\.redacted)
    var dumped = ""
    dump(events, to: &dumped)
    for text in ["\(events)", String(reflecting: events), dumped, "\(bench.log.all)"] {
      #expect(!text.contains("secret"))
    }
    #expect("\(events)".contains("Authorization: <redacted>, Accept: text/plain"))
    #expect(sent.count == 1)
    #expect(sent.first?[.authorization] == "<redacted>")
    #expect(sent.first?[.accept] == "text/plain")
    #expect(sent.first?["X-Trace"] == "42")
    #expect(sent.first?[.userAgent] == "tests/1")
  }

  @Test func `an event is one line`() async throws {
    let bench = TestBed(.fault(.connectionRefused))
    _ = await (try bench.session()).request("https://a.example.com/x?token=hidden").serializingData().response
    let lines = bench.log.all.map(\.description)
    #expect(lines.first == "#1 +0.00 ms started GET https://a.example.com/x?…")
    #expect(lines.allSatisfy { !$0.contains("\n") && !$0.contains("hidden") })
  }
}

/// Sends each request a second time, and returns the second response.
private struct Again: Interceptor {
  func intercept(
    _ request: OutgoingRequest, context: TransferContext, next: (OutgoingRequest) async throws -> TransportResponse
  ) async throws -> TransportResponse {
    _ = try await next(request)
    return try await next(request)
  }
}
