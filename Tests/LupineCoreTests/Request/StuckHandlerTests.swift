import Dispatch
import HTTPTypes
import LupineMock
import Testing

@testable import LupineCore
@testable import LupineSession

/// Handlers that do not return.
@Suite(.timeLimit(.minutes(1))) struct StuckHandlerTests {
  private let clock = TestClock()
  private let validated = Flag()

  private func session(_ transport: some Transport) throws -> Session {
    try Session.Builder().transport(transport).clock(clock).timeouts(total: .seconds(5))
      .monitor(ClosureEventMonitor { [validated] in if case .validated = $0.kind { validated.raise() } }).build()
  }

  @Test(arguments: [true, false])
  func `a request whose progress waits for a blocked queue ends by a cancellation, or when its time is over`(
    isCancelled: Bool
  ) async throws {
    let mock = MockTransport()
    mock.stub(.get, "/{any...}", .text("hello"))
    let queue = DispatchQueue(label: "blocked")
    queue.suspend()
    defer { queue.resume() }
    let request = try session(mock).request(TestBed.url).downloadProgress(queue: queue) { _ in }
    async let response = request.serializingString().response
    await validated.raised()
    if isCancelled { request.cancel() } else { clock.advance(by: .seconds(6)) }
    // The response was complete before the cancellation or the timeout.
    #expect(await response.value == "hello")
  }

  @Test func `a cancellation reaches a handler of interim responses`() async throws {
    let transport = ClosureTransport { _, context throws(LupineError) in
      context.emit(.informational(HTTPResponse(status: .init(code: 103))))
      return context.answer(200, [:], "hello")
    }
    let (never, left) = (Flag(), Flag())
    let request = try session(transport).request(TestBed.url).onInterimResponse { _ in
      await never.raised()
      left.raise()
    }
    async let response = request.serializingString().response
    await validated.raised()
    request.cancel()
    #expect(await response.value == "hello")
    await left.raised()
  }
}
