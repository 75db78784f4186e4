import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineMock
import Testing

@Suite struct NetworkFaultTests {
  @Test(arguments: [
    (NetworkFault.hostNotFound, LupineError.Kind.hostNotFound),
    (.connectionRefused, .connectionRefused),
    (.networkUnreachable, .networkUnreachable),
    (.tlsRefused, .tlsFailed),
    (.connectionStalled, .timedOut(.connect)),
    (.resetBeforeHead, .connectionLost),
    (.resetInRequest(afterBytes: 3), .connectionLost),
    (.stallBeforeHead, .connectionLost),
  ]) func `a fault before the head is an error that names the stub`(fault: NetworkFault, kind: LupineError.Kind)
    async throws
  {
    let mock = MockTransport()
    let line: UInt = #line + 1
    mock.stub(.get, "/", .fault(fault))
    let failure = try #require(await Exchange().failure(from: mock))
    #expect(failure.kind == kind)
    #expect(failure.message.contains("NetworkFaultTests.swift:\(line)"))
    #expect(failure.metrics != nil)
    try mock.verify()
  }

  @Test(arguments: [NetworkFault.reset(afterBytes: 3), .truncated(afterBytes: 3), .stall(afterBytes: 3)])
  func `a fault in the body comes after its bytes`(fault: NetworkFault) async throws {
    let mock = MockTransport()
    mock.stub(.get, "/", .text("abcdef").fault(fault))
    let response = try await Exchange(sink: .stream(window: 100)).send(through: mock)
    #expect(response.head.headerFields[.contentLength] == "6")
    #expect(try await response.body.next() == Array("abc".utf8))
    let error = await #expect(throws: LupineError.self) { try await response.body.next() }
    #expect(error?.kind == .connectionLost)
    #expect(error?.metrics?.bytesReceived == 3)
  }

  @Test func `a fault beyond the body's end comes at its end`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/", .text("abc").reset(afterBytes: 100))
    #expect(await Exchange().failure(from: mock)?.kind == .connectionLost)
  }

  @Test func `a failure of any kind can be asked for`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/", .failure(.timedOut(.idle)))
    #expect(await Exchange().failure(from: mock)?.kind == .timedOut(.idle))
  }

  @Test func `a stall lets a timer of a virtual clock end the exchange`() async throws {
    let clock = ImmediateClock()
    let control = ExchangeControl()
    let mock = MockTransport()
    mock.stub(.get, "/", .stall)
    let timer = clock.schedule(at: clock.now.advanced(by: .seconds(60))) {
      control.cancel(LupineError(.timedOut(.idle), "60 seconds passed."))
    }
    #expect(await Exchange(clock: clock, control: control).failure(from: mock)?.kind == .timedOut(.idle))
    timer.cancel()
  }

  @Test func `the connect timeout ends a connection that is never made`() async throws {
    let clock = ImmediateClock()
    let mock = MockTransport()
    mock.stub(.get, "/", .fault(.connectionStalled))
    let exchange = Exchange(clock: clock, connectTimeout: .seconds(5))
    #expect(await exchange.failure(from: mock)?.kind == .timedOut(.connect))
    #expect(clock.now.offset == .seconds(5))
  }
}
