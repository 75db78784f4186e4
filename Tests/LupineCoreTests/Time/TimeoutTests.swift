import HTTPTypes
import LupineMock
@testable import LupineSupport
import Synchronization
import Testing

@testable import LupineCore
@testable import LupineSession

@Suite struct TimeoutTests {
  @Test(arguments: [NetworkFault.stallBeforeHead, .stall(afterBytes: 2), .stall(afterBytes: 0)])
  func `a silent server is left after the idle timeout`(fault: NetworkFault) async throws {
    let bench = TestBed(.text("hello").fault(fault))
    let session = try bench.session { $0.timeouts(idle: .seconds(7)) }
    let response = await session.request(TestBed.url).serializingData().response
    #expect(response.error?.kind == .timedOut(.idle))
    #expect(bench.clock.now >= VirtualInstant().advanced(by: .seconds(7)))
  }

  @Test func `each retry has a new idle timeout`() async throws {
    let bench = TestBed(.stall)
    let session = try bench.session { $0.timeouts(idle: .seconds(7)).retrier(.backoff(limit: 2)) }
    let response = await session.request(TestBed.url).serializingData().response
    #expect(response.error?.kind == .timedOut(.idle))
    #expect(bench.mock.requests.count == 3)
  }

  @Test func `bytes that move put the idle timeout off`() async throws {
    let bench = TestBed(.text("").chunked(["a", "b", "c", "d"], every: .seconds(5)))
    let session = try bench.session { $0.timeouts(idle: .seconds(7)) }
    #expect(try await session.request(TestBed.url).serializingString().value == "abcd")
  }

  @Test func `the total timeout counts from the start, whatever moves`() async throws {
    let bench = TestBed(.text("").chunked(["a", "b", "c", "d"], every: .seconds(5)))
    let session = try bench.session { $0.timeouts(idle: .seconds(7), total: .seconds(12)) }
    let response = await session.request(TestBed.url).serializingData().response
    #expect(response.error?.kind == .timedOut(.total))
  }

  @Test func `an attempt that takes too long is followed by another`() async throws {
    let bench = TestBed(.sequence([.text("").chunked(["a", "b", "c"], every: .seconds(5)), .stall, .text("in time")]))
    let session = try bench.session { $0.timeouts(attempt: .seconds(8)).retrier(.backoff(limit: 2)).random { .max } }
    #expect(try await session.request(TestBed.url).serializingString().value == "in time")
    #expect(bench.log.all.compactMap(\.failureKind) == [.timedOut(.attempt), .timedOut(.attempt)])
  }

  @Test func `after an attempt whose time was over before its exchange the next is watched`() async throws {
    let bench = TestBed(.stall)
    let session = try bench.session {
      $0.timeouts(idle: .seconds(3), attempt: .seconds(8)).retrier(.backoff(limit: 1)).random { 0 }
        .adapter(Stubborn(clock: bench.clock))
    }
    #expect(await session.request(TestBed.url).serializingData().response.error?.kind == .timedOut(.idle))
    #expect(bench.log.all.compactMap(\.failureKind) == [.timedOut(.attempt), .timedOut(.idle)])
  }

  @Test func `an attempt's time counts its adapters, but not the wait before it`() async throws {
    let bench = TestBed(.sequence([.status(.serviceUnavailable).field(.retryAfter, "50"), .text("ok")]))
    let session = try bench.session {
      $0.timeouts(attempt: .seconds(8)).retrier(.backoff(limit: 2)).adapter(Slow(clock: bench.clock, time: .seconds(5)))
    }
    #expect(try await session.request(TestBed.url).serializingString().value == "ok")
    let slower = try bench.session {
      $0.timeouts(attempt: .seconds(4)).adapter(Slow(clock: bench.clock, time: .seconds(5)))
    }
    #expect(await slower.request(TestBed.url).serializingData().response.error?.kind == .timedOut(.attempt))
  }

  @Test func `without a retrier the attempt's time is the request's`() async throws {
    let bench = TestBed(.stall)
    let session = try bench.session { $0.timeouts(attempt: .seconds(3)) }
    #expect(await session.request(TestBed.url).serializingData().response.error?.kind == .timedOut(.attempt))
    #expect(bench.log.finishedCount == 1)
  }

  @Test func `a request's own timeouts come before the session's`() async throws {
    let bench = TestBed(.stall)
    let session = try bench.session { $0.timeouts(idle: .seconds(70)) }
    var request = try OutgoingRequest(TestBed.url)
    request.options.timeouts = Timeouts(idle: .seconds(3))
    #expect(await session.request(request).serializingData().response.error?.kind == .timedOut(.idle))
  }

  @Test(
    arguments: [
      Bounding(Timeouts(idle: .seconds(3))), Bounding(Timeouts(idle: nil, total: .seconds(3))),
      Bounding(Timeouts(idle: nil, attempt: .seconds(3))),
    ], [true, false])
  private func `timeouts that an adapter or an interceptor sets hold`(bounding: Bounding, isAdapter: Bool) async throws
  {
    let bench = TestBed(.stall)
    let session = try bench.session {
      let builder = $0.timeouts(idle: .seconds(70)).retrier(.backoff(limit: 1)).random { 0 }
      return isAdapter ? builder.adapter(bounding) : builder.interceptor(bounding)
    }
    let response = await session.request(TestBed.url).serializingData().response
    #expect(response.error?.kind == .timedOut(bounding.ending))
    let attempts = bounding.ending == .total ? 1 : 2
    #expect(bench.mock.requests.count == attempts)
    // The message contains the timeout that ended the request, which differs from the session's.
    #expect(response.error?.message.contains(Duration.seconds(3).milliseconds) == true)
  }

  @Test(arguments: [true, false])
  func `an adapter or an interceptor gives a request more time`(isAdapter: Bool) async throws {
    let bench = TestBed(.text("").chunked(["a", "b", "c"], every: .seconds(10)))
    let bounding = Bounding(Timeouts(idle: .seconds(20), total: nil))
    let session = try bench.session {
      let builder = $0.timeouts(idle: .seconds(7), total: .seconds(9))
      return isAdapter ? builder.adapter(bounding) : builder.interceptor(bounding)
    }
    #expect(try await session.request(TestBed.url).serializingString().value == "abc")
  }

  @Test(arguments: [
    Timeouts(idle: .zero), Timeouts(idle: nil, attempt: .zero),
  ])
  func `a bound that is no longer than nothing ends its request`(bounds: Timeouts) async throws {
    let session = try TestBed(.stall).session()
    let response = await session.request(TestBed.url).timeouts { $0 = bounds }.serializingData().response
    #expect(response.error?.kind == .invalidRequest)
  }

  @Test func `a request of an old session has its whole time`() async throws {
    let bench = TestBed(.text("x").delay(.seconds(5)))
    let session = try bench.session { $0.timeouts(idle: nil, total: .seconds(10)) }
    for _ in 0..<5 { #expect(try await session.request(TestBed.url).serializingString().value == "x") }
    #expect(bench.clock.now == VirtualInstant().advanced(by: .seconds(25)))
  }

  @Test func `a request that has not begun is never overdue`() throws {
    let bench = TestBed()
    let session = try bench.session { $0.timeouts(total: .seconds(1)) }
    let request = session.request(TestBed.url)
    #expect(request.execution.timeLimits.check(now: .seconds(99)) == nil)
    #expect(request.execution.cancellation == nil)
  }

  @Test func `the total timeout ends a request that is held back`() async throws {
    let clock = TestClock()
    let started = Flag()
    let session = try Session.Builder().transport(MockTransport()).clock(clock).timeouts(total: .seconds(5))
      .monitor(ClosureEventMonitor { if case .started = $0.kind { started.raise() } }).build()
    let request = session.request(TestBed.url).suspend()
    async let response = request.serializingData().response
    await started.raised()
    clock.advance(by: .seconds(6))
    #expect(await response.error?.kind == .timedOut(.total))
  }

  @Test func `the idle timeout rests while a request is suspended`() async throws {
    let clock = TestClock()
    let begun = Flag()
    let writers = Notes<ResponseBodyWriter>()
    let session = try Session.Builder().clock(clock).timeouts(idle: .seconds(5)).transport(
      ClosureTransport { _, context throws(LupineError) in
        let (response, writer) = context.begin()
        writers.add(writer)
        begun.raise()
        return response
      }
    ).build()
    let request = session.request(TestBed.url)
    async let response = request.serializingData().response
    await begun.raised()
    request.suspend()
    clock.advance(by: .seconds(60))
    request.resume()
    let writer = try #require(writers.all.first)
    _ = try [UInt8]("x".utf8).withUnsafeBytes { (bytes) throws(LupineError) in try writer.write(bytes) }
    writer.finish(metrics: TransferMetrics())
    #expect(await response.error == nil)
  }
}

/// An adapter that sleeps before it returns.
private struct Slow: RequestAdapter {
  let clock: ImmediateClock
  let time: Duration

  func adapt(_ request: OutgoingRequest, for session: Session) async throws -> OutgoingRequest {
    try await clock.sleep(for: time)
    return request
  }
}

/// An adapter that sleeps longer than the attempt timeout on its first call, and ignores a cancellation.
private final class Stubborn: RequestAdapter {
  private let clock: ImmediateClock
  private let isFirst = Atomic(true)

  init(clock: ImmediateClock) { self.clock = clock }

  func adapt(_ request: OutgoingRequest, for session: Session) async throws -> OutgoingRequest {
    if isFirst.exchange(false, ordering: .relaxed) { try? await clock.sleep(for: .seconds(9)) }
    return request
  }
}

/// An adapter, or an interceptor, that sets a request's timeouts.
private struct Bounding: RequestAdapter, Interceptor {
  let timeouts: Timeouts

  init(_ timeouts: Timeouts) { self.timeouts = timeouts }

  var ending: LupineError.Timeout {
    if timeouts.idle != nil { return .idle }
    return timeouts.total == nil ? .attempt : .total
  }

  func adapt(_ request: OutgoingRequest, for session: Session) async throws -> OutgoingRequest { bounded(request) }

  func intercept(
    _ request: OutgoingRequest, context: TransferContext, next: (OutgoingRequest) async throws -> TransportResponse
  ) async throws -> TransportResponse {
    try await next(bounded(request))
  }

  private func bounded(_ request: OutgoingRequest) -> OutgoingRequest {
    var request = request
    request.options.timeouts = timeouts
    return request
  }
}

extension SessionEvent {
  fileprivate var failureKind: LupineError.Kind? {
    if case .failed(let error) = kind { error.kind } else { nil }
  }
}
