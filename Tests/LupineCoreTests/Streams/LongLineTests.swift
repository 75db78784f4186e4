import HTTPTypes
import LupineCore
import LupineStreams
import LupineSession
import LupineMock
import Testing

/// Values that arrive before a line over the limit, in the same piece of the body.
@Suite struct LongLineTests {
  private let session: Session
  private let mock = MockTransport()
  private let long = String(repeating: "9", count: 100)

  init() throws {
    session = try Session.Builder().transport(mock).baseURL("https://example.com").build()
  }

  private func stub(_ text: String) {
    mock.stub(.get, "https://example.com/a", MockReply.text(text).field(.contentType, "text/event-stream"))
  }

  /// Reads a sequence, and returns its values and the kind of its error.
  private func read<Values: AsyncSequence>(_ values: Values) async -> [String] where Values.Failure == LupineError {
    var seen: [String] = []
    do throws(LupineError) {
      for try await value in values { seen.append("\(value)") }
    } catch {
      seen.append("\(error.kind)")
    }
    return seen
  }

  /// Attaches a handler, and returns the values and the kind of the error that it receives.
  private func handle<Value: Sendable>(
    _ attach: (@escaping @Sendable (DataStreamRequest.Stream<Value>) -> Void) -> DataStreamRequest
  ) async -> [String] {
    let notes = Notes<String>()
    _ = attach { stream in notes.add(stream.value.map { "\($0)" } ?? "\(stream.error?.kind ?? .unusedStub)") }
    await session.finishRequests()
    return notes.all
  }

  private let tooLong = "\(LupineError.Kind.limitExceeded(.line))"

  @Test(arguments: ["", "\n", "\n3\n"])
  func `lines before one that is too long are handed over`(rest: String) async {
    stub("1\n2\n" + long + rest)
    #expect(await read(session.streamRequest("a").serializingLines(limit: 50)) == ["1", "2", tooLong])
    let handled = await handle { session.streamRequest("a").responseStreamLine(limit: 50, handler: $0) }
    #expect(handled == ["1", "2", tooLong])
  }

  @Test func `values before a line that is too long are handed over`() async {
    stub("1\n2\n" + long)
    let values = session.streamRequest("a").serializingDecodableLines(of: Int.self, limit: 50)
    #expect(await read(values) == ["1", "2", tooLong])
    let handled = await handle {
      session.streamRequest("a").responseStreamDecodable(of: Int.self, limit: 50, handler: $0)
    }
    #expect(handled == ["1", "2", tooLong])
  }

  @Test func `events before a line that is too long are handed over`() async {
    stub("data: 1\n\ndata: 2\n\ndata: " + long)
    let events = [ServerSentEvent(data: "1"), ServerSentEvent(data: "2")].map { "\($0)" }
    #expect(await read(session.streamRequest("a").serializingEvents(limit: 50)) == events + [tooLong])
    let handled = await handle { session.streamRequest("a").responseStreamEvent(limit: 50, handler: $0) }
    #expect(handled == events + [tooLong])
  }

  @Test func `a sequence that has failed stays failed`() async {
    stub("1\n" + long)
    var lines = session.streamRequest("a").serializingLines(limit: 50).makeAsyncIterator()
    #expect((try? await lines.next()) == "1")
    for _ in 1...2 {
      do {
        _ = try await lines.next()
        Issue.record("the sequence went on")
      } catch {
        #expect(error.kind == .limitExceeded(.line))
      }
    }
  }
}
