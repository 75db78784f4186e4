import Dispatch
import Foundation
import HTTPTypes
import LupineCore
import LupineStreams
import LupineSession
import LupineMock
import Testing

@Suite struct StreamHandlerTests {
  let mock = MockTransport()
  let session: Session

  init() throws {
    session = try Session.Builder().transport(mock).clock(ImmediateClock()).baseURL("https://example.com").build()
  }

  private func stub(_ reply: MockReply) { mock.stub(.get, "https://example.com/a", reply) }

  /// The values that a handler receives, and for each completion the word `end` or the kind of its error.
  private func calls<Value: Sendable>(
    _ attach: (@escaping @Sendable (DataStreamRequest.Stream<Value>) -> Void) -> DataStreamRequest
  ) async -> [String] {
    let notes = Notes<String>()
    _ = attach { stream in
      if let value = stream.value { notes.add("\(value)") }
      if let completion = stream.completion { notes.add(completion.error.map { "\($0.kind)" } ?? "end") }
    }
    await session.finishRequests()
    return notes.all
  }

  @Test func `a handler has every byte, and once the end`() async throws {
    stub(MockReply.status(.ok).chunked(["ab", "cd"]))
    let notes = Notes<String>()
    session.streamRequest("a").responseStream { stream in
      switch stream.event {
      case .stream(let data): notes.add(String(decoding: data, as: UTF8.self))
      case .complete(let completion):
        notes.add("end")
        #expect(completion.error == nil)
        #expect(completion.response?.status == .ok)
        #expect(completion.metrics?.bytesReceived == 4)
        #expect(completion.request?.url.path == "/a")
      }
    }
    await session.finishRequests()
    #expect(notes.all.joined() == "abcdend")
  }

  @Test func `a handler of text waits for the rest of a character`() async {
    stub(MockReply.status(.ok).chunked(Data("a😀b".utf8).map { Data([$0]) }))
    let calls = await calls { session.streamRequest("a").responseStreamString(handler: $0) }
    #expect(calls.joined() == "a😀bend")
  }

  @Test func `a handler of lines has them one by one`() async {
    stub(MockReply.status(.ok).chunked(["on", "e\r", "\ntwo\n\nth", "ree"]))
    let calls = await calls { session.streamRequest("a").responseStreamLine(handler: $0) }
    #expect(calls == ["one", "two", "", "three", "end"])
  }

  @Test func `a handler of values has one from each line`() async {
    stub(.text("1\n\n22\n333"))
    let calls = await calls { session.streamRequest("a").responseStreamDecodable(of: Int.self, handler: $0) }
    #expect(calls == ["1", "22", "333", "end"])
  }

  @Test func `a line that is no value ends the stream, after the values before it`() async {
    stub(.text("1\nno\n3\n"))
    let calls = await calls { session.streamRequest("a").responseStreamDecodable(of: Int.self, handler: $0) }
    #expect(calls == ["1", "serializationFailed"])
  }

  @Test func `a handler of events receives those of every connection`() async {
    let page = { MockReply.text($0).field(.contentType, "text/event-stream") }
    stub(.sequence([page("id: 1\ndata: a\n\n"), page("data: b\n\n"), .status(.noContent)]))
    let calls: [String] = await calls { handler in
      session.streamRequest("a").responseStreamEvent { stream in handler(stream) }
    }.map { $0.contains("data: \"a\"") ? "a" : $0.contains("data: \"b\"") ? "b" : $0 }
    #expect(calls == ["a", "b", "end"])
    #expect(mock.requests.count == 3)
  }

  // The end of a stream

  @Test func `a head that is refused hands nothing over`() async {
    stub(.text("one\n", status: .notFound))
    let calls = await calls { session.streamRequest("a").validate().responseStreamLine(handler: $0) }
    #expect(calls == ["unacceptableStatusCode(404)"])
  }

  @Test func `the values before a failure are handed over, and then the error`() async {
    stub(MockReply.text("one\ntwo\nthree").reset(afterBytes: 9))
    let calls = await calls { session.streamRequest("a").responseStreamLine(handler: $0) }
    #expect(calls == ["one", "two", "connectionLost"])
  }

  @Test(arguments: ["handler", "request"])
  func `cancelling from inside lets no further value through`(who: String) async throws {
    let transport = ClosureTransport { _, context throws(LupineError) in
      let (response, writer) = context.begin()
      var bytes = Array("one\ntwo\n".utf8)
      try writer.write(&bytes)
      return response
    }
    let session = try Session.Builder().transport(transport).build()
    let notes = Notes<String>()
    let request = session.streamRequest("https://example.com/a")
    request.responseStreamLine { stream in
      notes.add(stream.value ?? "\(stream.error?.kind ?? .other)")
      if who == "handler" { stream.cancel() } else { request.cancel() }
    }
    await session.finishRequests()
    #expect(notes.all == ["one", "cancelled"])
  }

  @Test func `a handler of events cancels from inside`() async {
    stub(MockReply.text("data: a\n\ndata: b\n\n").field(.contentType, "text/event-stream"))
    let notes = Notes<String>()
    session.streamRequest("a").responseStreamEvent { stream in
      notes.add(stream.value?.data ?? "\(stream.error?.kind ?? .other)")
      stream.cancel()
    }
    await session.finishRequests()
    #expect(notes.all == ["a", "cancelled"])
    #expect(mock.requests.count == 1)
  }

  @Test func `an endless line is an error`() async {
    stub(.text(String(repeating: "x", count: 100)))
    let calls = await calls { session.streamRequest("a").responseStreamLine(limit: 50, handler: $0) }
    #expect(calls == ["limitExceeded(line)"])
  }
}

extension StreamHandlerTests {
  @Test func `a second consumer has an error, and the first has everything`() async {
    stub(.text("one\ntwo\n"))
    let first = Notes<String>()
    let second = Notes<String>()
    let request = session.streamRequest("a")
    request.responseStreamLine { first.add($0.value ?? ($0.error?.kind ?? .unusedStub).name) }
      .responseStreamLine { second.add($0.value ?? $0.error?.message ?? "well") }
    await session.finishRequests()
    #expect(first.all == ["one", "two", "unusedStub"])
    #expect(second.all.count == 1)
    #expect(second.all.first?.contains("has another reader") == true)
    await #expect(throws: LupineError.self) { for try await _ in request.serializingLines() {} }
  }

  @Test func `a handler is called on its queue`() async {
    let key = DispatchSpecificKey<String>()
    let queue = DispatchQueue(label: "handlers")
    queue.setSpecific(key: key, value: "here")
    stub(.text("one\n"))
    let places = Notes<String?>()
    session.streamRequest("a").responseStreamLine(queue: queue) { _ in
      places.add(DispatchQueue.getSpecific(key: key))
    }
    await session.finishRequests()
    #expect(places.all == ["here", "here"])
  }

  @Test func `a request that does not start by itself starts with resume, and a released one keeps nothing`()
    async throws
  {
    let session = try Session.Builder().transport(mock).baseURL("https://example.com").startsImmediately(false).build()
    stub(.text("one\n"))
    let notes = Notes<String>()
    let request = session.streamRequest("a").responseStreamLine { notes.add($0.value ?? "end") }
    #expect(mock.requests.isEmpty)
    request.resume()
    await session.finishRequests()
    #expect(notes.all == ["one", "end"])

    final class Token: Sendable {}
    var token: Token? = Token()
    weak let held = token
    session.streamRequest("a").responseStream { [token] _ in _ = token }
    token = nil
    #expect(held == nil)
  }

  @Test func `the next piece waits until the handler has returned`() async {
    let made = Notes<Int>()
    let body = RequestBody.stream {
      AsyncStream(unfolding: {
        guard made.all.count < 20 else { return nil }
        made.add(1_000)
        return [UInt8](repeating: 0x61, count: 1_000)
      })
    }
    stub(.body(body))
    let ahead = Notes<Int>()
    let handled = Notes<Int>()
    session.streamRequest("a", window: 1_000).responseStream { stream in
      guard let value = stream.value else { return }
      handled.add(value.count)
      ahead.add(made.all.count - handled.all.reduce(0, +) / 1_000)
    }
    await session.finishRequests()
    #expect(handled.all.reduce(0, +) == 20_000)
    // One or two pieces fill the window, and the mock has read one more piece by then.
    #expect(ahead.all.max().map { $0 <= 3 } == true)
  }
}
