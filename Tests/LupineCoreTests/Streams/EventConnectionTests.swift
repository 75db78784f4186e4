import HTTPTypes
import LupineCore
import LupineMock
@testable import LupineSession
@testable import LupineStreams
import Testing

/// The events, the metrics and the attempts that a request for Server-Sent Events reports for its connections.
@Suite struct EventConnectionTests {
  private let mock = MockTransport()
  private let clock = ImmediateClock()
  private let log = EventLog()
  private let url = "https://example.com/events"

  private func session(total: Duration? = nil) throws -> Session {
    try Session.Builder().transport(mock).clock(clock).random { 0 }.monitor(log).timeouts(total: total).build()
  }

  private func page(_ text: String) -> MockReply { .text(text).field(.contentType, "text/event-stream") }

  private func read(_ request: DataStreamRequest) async throws(LupineError) -> [ServerSentEvent] {
    var events: [ServerSentEvent] = []
    for try await event in request.serializingEvents() { events.append(event) }
    return events
  }

  @Test func `connections are attempts of their request, and each wait has its reason`() async throws {
    mock.stub(.get, url, .sequence([page("data: a\n\n"), .failure(.connectionRefused), .status(.noContent)]))
    let request = try session().streamRequest(url)
    _ = try await read(request)
    #expect(log.all.allSatisfy { $0.request == request.id })
    let attempts = log.all.compactMap { if case .attempting = $0.kind { $0.attempt } else { nil } }
    #expect(attempts == [1, 2, 3])
    #expect(log.names.count { $0 == "started" } == 1)
    #expect(log.finishedCount == 1)
    #expect(log.names.last == "finished")
    let waits = log.all.filter { if case .retrying(.some, _) = $0.kind { true } else { false } }
    #expect(waits.map(\.attempt) == [1, 2])
    let reasons = waits.map { "\($0.kind)" }
    let failure = log.all.compactMap { if case .failed(let error) = $0.kind { error.message } else { nil } }
    #expect(reasons.first == "retrying after 3000.00 ms: The server ended the stream of events.")
    #expect(reasons.last == "retrying after 3000.00 ms: \(failure.first ?? "")")
    #expect(failure.count == 1)
  }

  @Test func `a retry of a connection counts among the attempts`() async throws {
    mock.stub(.get, url, .sequence([.failure(.connectionRefused), page("data: a\n\n"), .status(.noContent)]))
    let request = try session().streamRequest(url).retrier(.backoff(limit: 1))
    _ = try await read(request)
    let attempts = log.all.compactMap { if case .attempting = $0.kind { $0.attempt } else { nil } }
    #expect(attempts == [1, 2, 3])
  }

  @Test func `each connection may be retried as often as the first`() async throws {
    mock.stub(
      .get, url,
      .sequence([
        page("data: a\n\n"), page("data: b\n\n"), .failure(.connectionRefused), .failure(.connectionRefused),
        .status(.noContent),
      ]))
    let request = try session().streamRequest(url).retrier(.backoff(limit: 2))
    #expect(try await read(request).count == 2)
    #expect(log.names.count { $0 == "failed" } == 2)
    // Two come from the reconnections of the stream, and two from the retrier.
    #expect(log.all.count { if case .retrying(.some, _) = $0.kind { true } else { false } } == 4)
  }

  @Test func `a stream of events has no progress`() async throws {
    mock.stub(.get, url, .sequence([page("data: a\n\n"), .status(.noContent)]))
    let notes = Notes<TransferProgress>()
    let request = try session().streamRequest(url).uploadProgress { notes.add($0) }.downloadProgress { notes.add($0) }
    #expect(try await read(request).count == 1)
    #expect(notes.all.isEmpty)
  }

  @Test func `the request has the requests that were sent and their metrics`() async throws {
    mock.stub(.get, url, .sequence([page("id: 1\ndata: a\n\n"), page("id: 2\ndata: b\n\n"), .status(.noContent)]))
    let request = try session().streamRequest(url)
    _ = try await read(request)
    #expect(request.allMetrics.count == 3)
    let command = await request.cURLDescription()
    for field in ["Accept: text/event-stream", "Cache-Control: no-store", "Last-Event-ID: 2"] {
      #expect(command.contains("--header '\(field)'"))
    }
  }

  @Test func `the metrics of a connection are removed after a hundred others`() async throws {
    let pages = (1...120).map { page("data: \(String(repeating: "a", count: $0))\n\n") }
    mock.stub(.get, url, .sequence(pages + [.status(.noContent)]))
    let request = try session().streamRequest(url)
    #expect(try await read(request).count == 120)
    // The last response has no body. `data: ` and two line feeds add 8 bytes to each text.
    #expect(request.allMetrics.map(\.bytesReceived) == (22...120).map { Int64($0 + 8) } + [0])
  }

  @Test func `the last events come before the end of a request that is left`() async throws {
    mock.stub(.get, url, page("data: a\n\n").stall(afterBytes: 9))
    let session = try Session.Builder().transport(mock).clock(TestClock()).monitor(log).build()
    let request = session.streamRequest(url)
    for try await _ in request.serializingEvents() { break }
    await session.finishRequests()
    #expect(log.names.last == "finished")
    #expect(log.names.contains("failed"))
    #expect(request.request?.headers[.accept] == "text/event-stream")
    let ends = log.all.compactMap { if case .finished(let error) = $0.kind { error?.message } else { nil } }
    #expect(ends == ["The reader of the stream was released before the end of the stream."])
  }

  @Test(.timeLimit(.minutes(1)))
  func `a stream of events that is cancelled before it is read holds up no end of its session`() async throws {
    mock.stub(.get, url, page("data: a\n\n"))
    let session = try session()
    let request = session.streamRequest(url)
    let events = request.serializingEvents()
    request.cancel()
    #expect(await request.trailers == nil)
    let error = await #expect(throws: LupineError.self) { for try await _ in events {} }
    #expect(error?.kind == .cancelled)
    await session.finishRequests()
    #expect(session.withAllRequests { $0.isEmpty })
  }

  @Test func `a cancellation is the only reason that a cancelled stream of events names`() async throws {
    mock.stub(.get, url, page("data: a\n\n").stall(afterBytes: 9))
    let session = try Session.Builder().transport(mock).clock(TestClock()).monitor(log).build()
    let request = session.streamRequest(url)
    let error = await #expect(throws: LupineError.self) {
      for try await _ in request.serializingEvents() { request.cancel() }
    }
    #expect(error?.kind == .cancelled)
    #expect(error?.underlying == nil)
    await session.finishRequests()
    #expect(log.all.contains { "\($0.kind)" == "not retrying: the request was ended" })
  }

  @Test func `a reader that comes second leaves the body to the first`() async throws {
    mock.stub(.get, url, page("data: a\n\n"))
    let request = try session().streamRequest(url)
    let bytes = request.serializingBytes()
    _ = try await bytes.head
    await #expect(throws: LupineError.self) { for try await _ in request.serializingEvents() {} }
    var text = ""
    for try await piece in bytes { text += String(decoding: piece, as: UTF8.self) }
    #expect(text == "data: a\n\n")
  }

  @Test(.timeLimit(.minutes(1)))
  func `a request whose reader comes too late does not wait for the reader's decision`() async {
    let consumer = StreamConsumer(window: 1)
    consumer.setReconnections(ReconnectionRequests())
    async let followUp = consumer.followUp(after: RequestOutcome(error: LupineError(.connectionLost, "")))
    // `followUp(after:)` reads the reconnections before it ends the response.
    _ = await consumer.response.ended()
    consumer.endReconnections()
    guard case .end(nil, reason: nil) = await followUp else {
      Issue.record("the request does not end")
      return
    }
  }

  @Test func `an identifier of the program's own gives way to the server's, and to none`() async throws {
    let name = try #require(HTTPField.Name("Last-Event-ID"))
    mock.stub(
      .get, url,
      .sequence([page("data: a\n\n"), page("id: 8\ndata: b\n\n"), page("id\ndata: c\n\n"), .status(.noContent)]))
    let events = try await read(try session().streamRequest(url, headers: [.init(name): "7"]))
    #expect(events.map(\.id) == ["7", "8", ""])
    #expect(mock.requests.map { $0.headers[name] } == ["7", "7", "8", nil])
  }

  @Test func `the total timeout ends the stream between its connections`() async throws {
    mock.stub(
      .get, url, .sequence([MockReply](repeating: page("data: a\n\n"), count: 9) + [.status(.noContent)]))
    let error = await #expect(throws: LupineError.self) {
      try await read(session(total: .seconds(10)).streamRequest(url))
    }
    #expect(error?.kind == .timedOut(.total))
    #expect(mock.requests.count == 4)
    #expect(clock.now.offset == .seconds(10))
  }

  @Test func `the total timeout ends the stream while a connection is open`() async throws {
    mock.stub(.get, url, .sequence([page("data: a\n\n").stall(afterBytes: 9), .status(.noContent)]))
    let error = await #expect(throws: LupineError.self) {
      try await read(session(total: .seconds(10)).streamRequest(url))
    }
    #expect(error?.kind == .timedOut(.total))
    #expect(mock.requests.count == 1)
  }

  @Test func `the idle timeout loses a connection, and another is opened`() async throws {
    mock.stub(.get, url, .sequence([page("data: a\n\n").stall(afterBytes: 9), .status(.noContent)]))
    #expect(try await read(session().streamRequest(url)).count == 1)
    #expect(mock.requests.count == 2)
  }
}
