import LupineCore
import LupineMock
import LupineSession
import Testing

/// Listeners that receive the outcome before awaited values are returned.
@Suite struct OutcomeListenerTests {
  private let notes = Notes<String>()
  private let calls = AsyncStream.makeStream(of: Void.self)

  private func request(_ reply: MockReply) throws -> DataRequest {
    let mock = MockTransport()
    mock.stub(.get, "https://example.com/a", reply)
    return try Session.Builder().transport(mock).build().request("https://example.com/a").validate()
  }

  private func listen(to request: DataRequest) -> Bool {
    request.execution.addOutcomeListener { [notes, called = calls.continuation] in
      notes.add($0.error.map { "\($0.kind)" } ?? "good")
      called.yield()
    }
  }

  @Test(
    arguments: [
      (.text("x"), nil), (.status(.notFound), .unacceptableStatusCode(404)), (.reset, .connectionLost),
    ] as [(MockReply, LupineError.Kind?)])
  func `a listener has the outcome before the value is returned and the handlers are called`(
    reply: MockReply, kind: LupineError.Kind?
  ) async throws {
    let request = try request(reply)
    #expect(listen(to: request))
    request.execution.addCompletionHandler { [notes] _, _ in notes.add("handler") }
    let error = await request.serializingData().response.error
    #expect(error?.kind == kind)
    #expect(notes.all.first == kind.map { "\($0)" } ?? "good")
    await request.execution.session.finishRequests()
    #expect(notes.all.count == 2)
  }

  @Test func `a request that is cancelled before its start has its listeners called`() async throws {
    let request = try request(.text("x"))
    #expect(listen(to: request))
    request.cancel()
    _ = await request.serializingData().response
    await request.execution.session.finishRequests()
    for await _ in calls.stream { break }
    #expect(notes.all == ["\(LupineError.Kind.cancelled)"])
  }

  @Test func `a listener of a request that has ended is refused`() async throws {
    let request = try request(.text("x"))
    _ = await request.serializingData().response
    #expect(!listen(to: request))
    #expect(notes.all.isEmpty)
  }

  @Test func `a listener that never returns does not hold a request that is cancelled`() async throws {
    let request = try request(.text("x"))
    let (stream, _) = AsyncStream.makeStream(of: Never.self)
    request.execution.addOutcomeListener { [called = calls.continuation] _ in
      called.yield()
      for await _ in stream {}
    }
    async let response = request.serializingData().response
    for await _ in calls.stream { break }
    request.cancel()
    _ = await response
  }
}
