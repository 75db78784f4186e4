import HTTPTypes
import LupineMock
@testable import LupineStreams
import LupineSupport
import Testing

@testable import LupineCore
@testable import LupineSession

private enum Mode: RequestOptionKey {
  case normal, bypass, fresh
  static var defaultValue: Mode { .normal }
}

private enum Label: RequestOptionKey {
  static var defaultValue: String? { "none" }
}

/// An option that is not kept for requests to another origin.
private enum Ticket: RequestOptionKey {
  static var defaultValue: Int { 0 }
  static var isKeptAcrossOrigins: Bool { false }
}

/// Records the options of each exchange.
private struct NotingLayer: ExchangeLayer {
  let seen: Notes<(Mode, Int)>

  func send(
    _ request: OutgoingRequest, in context: TransferContext, next: NextExchange
  ) async throws(LupineError) -> TransportResponse {
    seen.add((request.options[Mode.self], request.options[Ticket.self]))
    return try await next(request, in: context)
  }
}

extension Session.Builder {
  fileprivate func noting(_ seen: Notes<(Mode, Int)>) -> Self {
    exchangeLayer("noting") { NotingLayer(seen: seen) }
  }
}

@Suite struct RequestOptionKeyTests {
  @Test func `an option that is not set has its default`() throws {
    let request = try OutgoingRequest(TestBed.url)
    #expect(request.options[Mode.self] == .normal)
    #expect(request.options[Label.self] == "none")
    #expect(request.options[Ticket.self] == 0)
  }

  @Test func `a set option is apart from those of other keys and of copies`() throws {
    var request = try OutgoingRequest(TestBed.url)
    let before = request
    request.options[Mode.self] = .bypass
    request.options[Label.self] = nil
    request.options.timeouts = Timeouts(idle: .seconds(1))
    #expect(request.options[Mode.self] == .bypass)
    #expect(request.options[Label.self] == nil)
    #expect(request.options[Ticket.self] == 0)
    request.options.timeouts = nil
    #expect(request.options[Mode.self] == .bypass)
    #expect(before.options[Mode.self] == .normal)
    #expect(before.options[Label.self] == "none")
  }

  @Test func `no description shows a value`() throws {
    var request = try OutgoingRequest(TestBed.url)
    request.options[Label.self] = "hunter2"
    var text = "\(request.options) \(String(reflecting: request.options))"
    dump(request.options, to: &text)
    #expect(!text.contains("hunter2"))
  }

  @Test func `options make no request larger`() {
    // One pointer refers to everything that only few requests need.
    #expect(MemoryLayout<OutgoingRequest>.size == MemoryLayout<Int>.size)
    #expect(MemoryLayout<OutgoingRequest.Options>.size <= 2 * MemoryLayout<Int>.size)
  }

  @Test func `a program's option reaches adapters, interceptors and layers, and is not sent`() async throws {
    let bench = TestBed()
    let (seen, passed) = (Notes<(Mode, Int)>(), Notes<Mode>())
    let session = try bench.session {
      $0.noting(seen).adapter(Adapting(seen: passed)).interceptor(Noting(seen: passed))
    }
    let request = session.request(TestBed.url).option(Mode.self, .bypass).option(Label.self, "x")
    #expect(request.request?.options[Label.self] == "x")
    _ = try await request.serializingData().value
    #expect(passed.all == [.bypass, .fresh])
    #expect(seen.all.map(\.0) == [.fresh])
    let plain = try bench.session()
    _ = try await plain.request(TestBed.url).serializingData().value
    #expect(bench.mock.requests.first?.headers == bench.mock.requests.last?.headers)
    #expect(bench.mock.requests.map { $0.options[Mode.self] } == [.fresh, .normal])
  }

  @Test func `an option survives a retry and a redirect`() async throws {
    let bench = TestBed { mock in
      mock.stub(.get, "https://a.example/", .sequence([.status(.serviceUnavailable), .redirect(to: "/next")]))
      mock.stub(.get, "https://a.example/next", .redirect(to: "https://b.example/"))
      mock.stub(.get, "https://b.example/", .text("hello"))
    }
    let seen = Notes<(Mode, Int)>()
    let session = try bench.session { $0.noting(seen).retrier(.backoff(limit: 1)) }
    var description = try OutgoingRequest("https://a.example/")
    description.options[Ticket.self] = 7
    let request = session.request(description).option(Mode.self, .bypass)
    #expect(try await request.serializingString().value == "hello")
    #expect(seen.all.map(\.0) == [.bypass, .bypass, .bypass, .bypass])
    #expect(seen.all.map(\.1) == [7, 7, 7, 0])
  }

  @Test func `a redirector that changes the origin takes no option of the old one along`() async throws {
    let bench = TestBed { mock in
      mock.stub(.get, "https://a.example/", .redirect(to: "/next"))
      mock.stub(.get, "https://b.example/", .text("hello"))
    }
    let seen = Notes<(Mode, Int)>()
    let elsewhere = try HTTPURL("https://b.example/")
    let session = try bench.session {
      $0.noting(seen).redirector(
        .modify { next, _ in
          var next = next
          next.url = elsewhere
          return next
        })
    }
    let request = session.request("https://a.example/").option(Ticket.self, 7).option(Mode.self, .fresh)
    _ = try await request.serializingString().value
    #expect(seen.all.map(\.1) == [7, 0])
    #expect(seen.all.map(\.0) == [.fresh, .fresh])
  }

  @Test func `a request names the options that are set, also to their defaults`() throws {
    var options = OutgoingRequest.Options()
    #expect(options.keys.isEmpty)
    options[Mode.self] = Mode.defaultValue
    options[Ticket.self] = 7
    #expect(options.keys.count == 2)
    #expect(options.keys.contains { $0 == Mode.self })
    #expect(options.keys.contains { $0 == Ticket.self })
    options.timeouts = Timeouts()
    #expect(options.keys.count == 2)
  }

  @Test func `each connection of a stream of events has the request's option`() async throws {
    let page = MockReply.text("data: a\n\n").field(.contentType, "text/event-stream")
    let bench = TestBed(.sequence([page, .status(.noContent)]))
    let request = try bench.session().streamRequest(TestBed.url).option(Mode.self, .bypass)
    for try await _ in request.serializingEvents() {}
    #expect(bench.mock.requests.map { $0.options[Mode.self] } == [.bypass, .bypass])
  }
}

/// Records the option, and changes it.
private struct Adapting: RequestAdapter {
  let seen: Notes<Mode>

  func adapt(_ request: OutgoingRequest, for session: Session) async throws -> OutgoingRequest {
    seen.add(request.options[Mode.self])
    var request = request
    request.options[Mode.self] = .fresh
    return request
  }
}

private struct Noting: Interceptor {
  let seen: Notes<Mode>

  func intercept(
    _ request: OutgoingRequest, context: TransferContext,
    next: nonisolated(nonsending) (OutgoingRequest) async throws -> TransportResponse
  ) async throws -> TransportResponse {
    seen.add(request.options[Mode.self])
    return try await next(request)
  }
}
