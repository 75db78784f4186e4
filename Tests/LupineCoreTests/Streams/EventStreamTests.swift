import Foundation
import HTTPTypes
import LupineCore
import LupineStreams
import LupineSession
import LupineMock
import Synchronization
import Testing

@Suite struct EventStreamTests {
  let mock = MockTransport()
  let clock = ImmediateClock()
  let session: Session

  init() throws {
    session = try Session.Builder().transport(mock).clock(clock).baseURL("https://example.com").build()
  }

  fileprivate func page(_ text: String) -> MockReply { .text(text).field(.contentType, "text/event-stream") }

  @Test(arguments: [
    ("data: a\n\n", [ServerSentEvent(data: "a")]),
    ("data:a\ndata: b\ndata\n\n", [ServerSentEvent(data: "a\nb\n")]),
    (": comment\n\ndata: a\n\n", [ServerSentEvent(data: "a")]),
    (
      "event: add\ndata: 1\nid: 7\n\ndata: 2\n\n", [.init(event: "add", data: "1", id: "7"), .init(data: "2", id: "7")]
    ),
    ("\u{FEFF}data: a\n\n", [ServerSentEvent(data: "a")]),
    ("\u{FEFF}\u{FEFF}data: a\n\ndata: b\n\n", [ServerSentEvent(data: "b")]),
    ("event: alone\n\ndata: a\n\n", [ServerSentEvent(data: "a")]),
    ("data: unfinished", []),
    ("id: 1\ndata: a\n\nid\ndata: b\n\n", [.init(data: "a", id: "1"), .init(data: "b")]),
    ("id: x\u{0}y\ndata: a\n\n", [ServerSentEvent(data: "a")]),
    ("nonsense: 1\ndata:  two spaces\n\n", [ServerSentEvent(data: " two spaces")]),
  ])
  func `a stream of events is parsed by the rules of WHATWG`(text: String, expected: [ServerSentEvent]) async throws {
    mock.stub(.get, "https://example.com/events", page(text))
    var events: [ServerSentEvent] = []
    for try await event in session.streamRequest("events").serializingEvents(reconnects: false) { events.append(event) }
    #expect(events == expected)
  }

  @Test(
    arguments: [
      (nil, []), ("", []), ("application/json, text/event-stream", []), ("Text/Event-Stream; charset=utf-8", []),
      ("text/plain", ["text/plain"]), ("text/plain", ["text/*"]), ("application/json", ["text/plain", "*/*"]),
      ("application/json, text/plain", ["text/plain"]),
    ] as [(String?, [String])])
  func `events of no media type, of the last one in a list, and of an accepted one are read`(
    contentType: String?, accepted: [String]
  ) async throws {
    mock.stub(.get, "https://example.com/events", Self.reply(contentType))
    var data: [String] = []
    let request = session.streamRequest("events").acceptingContentTypes(accepted)
    for try await event in request.serializingEvents(reconnects: false) { data.append(event.data) }
    #expect(data == ["a"])
    #expect(mock.requests.first?.headers[values: .accept] == ["text/event-stream"])
  }

  @Test(
    arguments: [
      ("text/plain", []), ("text/event-stream, application/json", []), ("text/html", ["text/plain"]), ("nonsense", []),
      ("nonsense", ["nonsense"]),
    ] as [(String, [String])])
  func `events of another media type are refused`(contentType: String, accepted: [String]) async throws {
    mock.stub(.get, "https://example.com/events", Self.reply(contentType))
    let request = session.streamRequest("events").acceptingContentTypes(accepted)
    let error = await #expect(throws: LupineError.self) { for try await _ in request.serializingEvents() {} }
    guard case .unacceptableContentType = error?.kind else { return #expect(Bool(false), "\(error as Any)") }
    #expect(error?.message.contains("acceptingContentTypes") == true)
  }

  private static func reply(_ contentType: String?) -> MockReply {
    let page = MockReply.data(Data("data: a\n\n".utf8), contentType: nil)
    return contentType.map { page.field(.contentType, $0) } ?? page
  }

  @Test func `a stream that ends is opened again with the last identifier`() async throws {
    mock.stub(
      .get, "https://example.com/events",
      .sequence([page("retry: 10\nid: 1\ndata: a\n\n"), page("id: 2\ndata: b\n\n"), .status(.noContent)]))
    var data: [String] = []
    for try await event in session.streamRequest("events").serializingEvents() { data.append(event.data) }
    #expect(data == ["a", "b"])
    let name = try #require(HTTPField.Name("Last-Event-ID"))
    #expect(mock.requests.map { $0.headers[name] } == [nil, "1", "2"])
  }

  @Test func `a connection that is lost is opened again`() async throws {
    mock.stub(
      .get, "https://example.com/events",
      .sequence([
        page("data: a\n\ndata: cut").reset(afterBytes: 14), .failure(.connectionRefused), page("data: b\n\n"),
        .status(.noContent),
      ]))
    var data: [String] = []
    for try await event in session.streamRequest("events").serializingEvents() { data.append(event.data) }
    #expect(data == ["a", "b"])
  }

  @Test func `a line that the end of a stream cuts is ignored`() async throws {
    mock.stub(
      .get, "https://example.com/events", .sequence([page("retry: 30000\ndata: a\n\nretry: 3"), .status(.noContent)]))
    for try await _ in session.streamRequest("events").serializingEvents() {}
    #expect(clock.now.offset >= .seconds(30))
  }

  @Test func `another media type or status ends the stream with an error`() async throws {
    mock.stub(.get, "https://example.com/events", .sequence([.text("data: a\n\n"), .status(.internalServerError)]))
    for kind in [LupineError.Kind.unacceptableContentType("text/plain"), .unacceptableStatusCode(500)] {
      await #expect { for try await _ in session.streamRequest("events").serializingEvents() {} } throws: { error in
        (error as? LupineError)?.kind == kind
      }
    }
  }

  @Test func `an endless event is an error`() async throws {
    mock.stub(.get, "https://example.com/events", page(String(repeating: "data: xxxxxxxxxx\n", count: 100)))
    await #expect { for try await _ in session.streamRequest("events").serializingEvents(limit: 200) {} } throws: {
      error in
      (error as? LupineError)?.kind == .limitExceeded(.line)
    }
  }
}

extension EventStreamTests {
  @Test func `an endless line of a stream of events is an error`() async throws {
    mock.stub(.get, "https://example.com/events", page("data: " + String(repeating: "x", count: 10_000)))
    await #expect { for try await _ in session.streamRequest("events").serializingEvents(limit: 200) {} } throws: {
      error in
      (error as? LupineError)?.kind == .limitExceeded(.line)
    }
  }

  @Test func `cancelling the request ends its connection, and a loop over its events`() async throws {
    mock.stub(.get, "https://example.com/events", page("data: a\n\ndata: b\n\n").stall(afterBytes: 9))
    // A test clock does not advance by itself, so no timeout passes before the cancellation.
    let session = try Session.Builder().transport(mock).clock(TestClock()).baseURL("https://example.com").build()
    let request = session.streamRequest("events")
    let error = await #expect(throws: LupineError.self) {
      for try await event in request.serializingEvents() {
        #expect(event.data == "a")
        request.cancel()
      }
    }
    #expect(error?.kind == .cancelled)
    await session.finishRequests()
  }

  @Test func `cancelling every request ends the wait between two connections`() async throws {
    let clock = TestClock()
    let session = try Session.Builder().transport(mock).clock(clock).baseURL("https://example.com").build()
    mock.stub(.get, "https://example.com/events", page("data: a\n\n"))
    let events = session.streamRequest("events").serializingEvents(retry: .seconds(60))
    let reading = Task {
      for try await _ in events {}
    }
    await clock.waitForSleepers()
    #expect(session.withAllRequests { $0.count } == 1)
    session.cancelAllRequests()
    await #expect(throws: LupineError.self) { try await reading.value }
    #expect(mock.requests.count == 1)
  }

  @Test func `a stream of events waits if its session does not start requests`() async throws {
    let session = try Session.Builder().transport(mock).clock(ImmediateClock()).baseURL("https://example.com")
      .startsImmediately(false).build()
    mock.stub(.get, "https://example.com/events", page("data: a\n\n"))
    let request = session.streamRequest("events")
    let events = request.serializingEvents(reconnects: false)
    #expect(mock.requests.isEmpty)
    request.resume()
    var data: [String] = []
    for try await event in events { data.append(event.data) }
    #expect(data == ["a"])
    #expect(mock.requests.count == 1)
    #expect(request.description.hasSuffix("(200)"))
  }

  @Test(.timeLimit(.minutes(1)))
  func `a stream of events that is held back ends with its session`() async throws {
    let session = try Session.Builder().transport(mock).clock(ImmediateClock()).baseURL("https://example.com")
      .startsImmediately(false).build()
    let ends = Mutex<[LupineError?]>([])
    session.streamRequest("events").responseStreamEvent { stream in
      ends.withLock { $0.append(stream.completion?.error) }
    }
    await session.shutdown()
    #expect(ends.withLock { $0.map { $0?.kind } } == [.sessionShutDown])
    #expect(mock.requests.isEmpty)
  }

  @Test(arguments: [false, true])
  func `interim responses of each connection are heard, before the request ends`(isLeft: Bool) async throws {
    let hints = (1...3).map { number in
      HTTPResponse(status: .init(code: 103), headerFields: [.server: "\(number)"])
    }
    mock.stub(
      .get, "https://example.com/events",
      .sequence([
        page("data: a\n\n").informational([hints[0]]), page("data: b\n\n").informational([hints[1]]),
        .status(.noContent).informational([hints[2]]),
      ]))
    let seen = Mutex<[String]>([])
    let hasHeardTwo = Flag()
    let request = session.streamRequest("events").onInterimResponse { head in
      await Task.yield()
      let server = head.headerFields[.server] ?? ""
      seen.withLock { $0.append(server) }
      if server == "2" { hasHeardTwo.raise() }
    }
    for try await event in request.serializingEvents() where isLeft && event.data == "b" {
      // The end of the loop cancels the request, which then does not wait for the handler.
      await hasHeardTwo.raised()
      break
    }
    await session.finishRequests()
    #expect(seen.withLock { $0 } == (isLeft ? ["1", "2"] : ["1", "2", "3"]))
  }

  @Test func `an unread stream of events that is released cancels its request`() async throws {
    let log = EventLog()
    let session = try Session.Builder().transport(mock).clock(ImmediateClock()).monitor(log).build()
    let request = session.streamRequest("https://example.com/events")
    _ = request.serializingEvents()
    #expect(await request.trailers == nil)
    let ends = log.all.compactMap { if case .finished(let error) = $0.kind { error?.kind } else { nil } }
    #expect(ends == [.cancelled])
    #expect(mock.requests.isEmpty)
  }

  @Test func `events have one consumer`() async throws {
    mock.stub(.get, "https://example.com/events", page("data: a\n\n"))
    let request = session.streamRequest("events")
    let events = request.serializingEvents(reconnects: false)
    for try await _ in events {}
    await #expect(throws: LupineError.self) { for try await _ in events {} }
    await #expect(throws: LupineError.self) { for try await _ in request.serializingEvents() {} }
    #expect(mock.requests.count == 1)
  }

  @Test func `a request that has started takes no reader of events`() async throws {
    mock.stub(.get, "https://example.com/events", page("data: a\n\n"))
    let request = session.streamRequest("events").resume()
    let error = await #expect(throws: LupineError.self) { for try await _ in request.serializingEvents() {} }
    #expect(error?.message.contains("before the request starts") == true)
    var text = ""
    for try await piece in request.serializingBytes() { text += String(decoding: piece, as: UTF8.self) }
    #expect(text == "data: a\n\n")
  }
}
