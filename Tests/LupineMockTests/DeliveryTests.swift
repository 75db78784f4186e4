import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineMock
import Testing

@Suite struct DeliveryTests {
  @Test func `a delay passes on the session's clock`() async throws {
    let clock = TestClock()
    let mock = MockTransport()
    mock.stub(.get, "/", .text("late").delay(.seconds(3)))
    async let response = Exchange(clock: clock).response(from: mock)
    await clock.waitForSleepers()
    clock.advance(by: .seconds(3))
    #expect(try await response.text == "late")
  }

  @Test func `an immediate clock moves by the delays and the time between chunks`() async throws {
    let clock = ImmediateClock()
    let mock = MockTransport()
    mock.stub(.get, "/", .text("").chunked(["a", "b", "c"], every: .seconds(2)).delay(.seconds(1)))
    #expect(try await Exchange(clock: clock).response(from: mock).text == "abc")
    #expect(clock.now.offset == .seconds(5))
  }

  @Test func `chunks come one by one, each in its time`() async throws {
    let clock = TestClock()
    let mock = MockTransport()
    mock.stub(.get, "/", .text("").chunked(["a", "b"], every: .seconds(1)))
    let response = try await Exchange(clock: clock, sink: .stream(window: 100)).send(through: mock)
    #expect(try await response.body.next() == Array("a".utf8))
    await clock.run()
    #expect(try await response.body.next() == Array("b".utf8))
    #expect(try await response.body.next() == nil)
  }

  @Test func `a large body waits for a consumer that takes its time`() async throws {
    let mock = MockTransport()
    let bytes = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 / 251) })
    mock.stub(.get, "/", .data(bytes))
    let response = try await Exchange(sink: .stream(window: 64 << 10)).send(through: mock)
    var received = Data()
    while let piece = try await response.body.next() {
      #expect(piece.count <= 64 << 10)
      received.append(contentsOf: piece)
    }
    #expect(received == bytes)
    #expect(try await response.body.end().metrics.bytesReceived == 1_000_000)
  }

  @Test func `a body over the sink's limit fails the exchange`() async throws {
    for size in [100, 200_000] {
      let mock = MockTransport()
      mock.stub(.get, "/", .data(Data(repeating: 1, count: size)))
      let failure = await Exchange(sink: .collect(limit: 99)).failure(from: mock)
      #expect(failure?.kind == .limitExceeded(.responseBody))
    }
  }

  @Test func `a stream as a body is delivered as it comes`() async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self)
    let mock = MockTransport()
    mock.stub(.get, "/", .body(.oneShot(stream)))
    let response = try await Exchange(sink: .stream(window: 100)).send(through: mock)
    #expect(response.head.headerFields[.contentLength] == nil)
    continuation.yield([1])
    #expect(try await response.body.next() == [1])
    continuation.yield([2])
    continuation.finish()
    #expect(try await response.body.next() == [2])
    #expect(try await response.body.next() == nil)
  }

  @Test(arguments: [
    MockReply.text("x").delay(.seconds(9)), .stall, .text("abc").stall(afterBytes: 1),
    .text("").chunked(["a", "b"], every: .seconds(9)), .fault(.connectionStalled),
  ]) func `a cancellation ends the exchange wherever it waits`(reply: MockReply) async throws {
    let clock = TestClock()
    let control = ExchangeControl()
    let mock = MockTransport()
    mock.stub(.get, "/", reply)
    async let failure = Exchange(clock: clock, control: control).failure(from: mock)
    await clock.waitForSleepers()
    control.cancel(LupineError(.timedOut(.total), "enough"))
    #expect(await failure?.kind == .timedOut(.total))
    await mock.shutdown()
    #expect(clock.sleepers == 0)
  }

  @Test func `a cancelled task ends an exchange that waits for its head`() async throws {
    let clock = TestClock()
    let mock = MockTransport()
    mock.stub(.get, "/", .stall)
    let task = Task { await Exchange(clock: clock).failure(from: mock) }
    await clock.waitForSleepers()
    task.cancel()
    #expect(await task.value?.kind == .cancelled)
    #expect(clock.sleepers == 0)
  }

  @Test func `a cancellation ends a closure that waits`() async throws {
    let clock = TestClock()
    let control = ExchangeControl()
    let mock = MockTransport()
    mock.stub(.get, "/") { _ in
      try await clock.sleep(for: .seconds(1))
      return .empty
    }
    async let failure = Exchange(control: control).failure(from: mock)
    await clock.waitForSleepers()
    control.cancel(LupineError(.cancelled, "enough"))
    #expect(await failure?.kind == .cancelled)
    try mock.verify()
  }

  @Test func `a cancellation ends a request whose body never ends`() async throws {
    let control = ExchangeControl()
    let mock = MockTransport()
    mock.stub(.post, "/", .empty)
    let (asked, ask) = AsyncStream.makeStream(of: Void.self)
    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    let (silence, noise) = AsyncStream.makeStream(of: Void.self)
    let stream = AsyncStream<[UInt8]> {
      ask.finish()
      for await _ in silence {}
      return nil
    } onCancel: {
      end.finish()
    }
    async let failure = Exchange(method: .post, body: .oneShot(stream), control: control).failure(from: mock)
    for await _ in asked {}
    control.cancel(LupineError(.cancelled, "enough"))
    #expect(await failure?.kind == .cancelled)
    for await _ in ended {}
    noise.finish()
    #expect(mock.requests.isEmpty)
  }

  @Test func `a cancellation ends a response that is not consumed`() async throws {
    let control = ExchangeControl()
    let mock = MockTransport()
    mock.stub(.get, "/", .data(Data(repeating: 1, count: 1_000_000)))
    let response = try await Exchange(control: control, sink: .stream(window: 10)).send(through: mock)
    #expect(try await response.body.next()?.isEmpty == false)
    control.cancel(LupineError(.cancelled, "enough"))
    let error = await #expect(throws: LupineError.self) {
      while try await response.body.next() != nil {}
    }
    #expect(error?.kind == .cancelled)
    await mock.shutdown()
  }

  @Test func `an exchange cancelled before it begins does not begin`() async throws {
    let control = ExchangeControl()
    control.cancel(LupineError(.cancelled, "never mind"))
    let mock = MockTransport()
    mock.stub(.get, "/", .empty)
    #expect(await Exchange(control: control).failure(from: mock)?.kind == .cancelled)
    #expect(mock.requests.isEmpty)
  }
}
