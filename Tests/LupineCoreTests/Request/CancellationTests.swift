import HTTPTypes
import LupineMock
import Testing

@testable import LupineCore
@testable import LupineSession

/// Cancels a request at each of its awaits.
@Suite struct CancellationTests {
  enum Place: CaseIterable, Sendable {
    case gate, adapter, beforeHead, inBody, redirectBody, interceptorBefore, interceptorAfter, ownBody, scheme, retrier,
      backoff
  }

  enum Way: CaseIterable, Sendable { case request, task, session, shutdown, handler }

  @Test(arguments: Place.allCases, Way.allCases)
  func `a request that is cancelled ends once, with its reason`(place: Place, way: Way) async throws {
    let reached = Flag()
    let log = EventLog()
    let session = try Self.session(place, reached, log)
    let request = session.request(TestBed.url).authenticate(username: "u", password: "p")
    if place == .gate { request.suspend() }
    let count = Notes<LupineError.Kind?>()
    let ended = Flag()
    if way == .handler {
      request.response {
        count.add($0.error?.kind)
        ended.raise()
      }
      if place == .gate { request.suspend() }
    }
    let task = Task { await request.serializingData().response.error?.kind }
    await reached.raised()
    switch way {
    case .request, .handler: request.cancel()
    case .task: task.cancel()
    case .session: session.cancelAllRequests()
    case .shutdown: await session.shutdown()
    }
    #expect(await task.value == (way == .shutdown ? .sessionShutDown : .cancelled))
    if way == .handler {
      await ended.raised()
      #expect(count.all == [.cancelled])
    }
    await session.finishRequests()
    #expect(log.finishedCount == 1)
    #expect(session.registry.running.isEmpty)
  }

  private static func session(_ place: Place, _ reached: Flag, _ log: EventLog) throws -> Session {
    let builder = Session.Builder().transport(transport(place, reached)).monitor(log).timeouts(idle: nil)
    return switch place {
    case .gate: try builder.monitor(StartSignal(reached)).build()
    case .adapter: try builder.adapter(Waiting(reached)).build()
    case .interceptorBefore, .interceptorAfter, .ownBody: try builder.interceptor(Waiting(reached, place)).build()
    case .scheme: try builder.authenticationScheme(Waiting(reached)).build()
    case .retrier: try builder.retrier(Waiting(reached)).build()
    case .backoff: try builder.retrier(LongBackoff()).clock(SignallingClock(reached)).build()
    default: try builder.build()
    }
  }

  private static func transport(_ place: Place, _ reached: Flag) -> ClosureTransport {
    ClosureTransport { _, context throws(LupineError) in
      switch place {
      case .beforeHead:
        return try await context.hang(reached)
      case .inBody, .redirectBody:
        let (response, writer) = context.begin(place == .inBody ? 200 : 302, [.location: "/next"])
        context.onCancel { writer.fail(LupineError(.cancelled, ""), metrics: TransferMetrics()) }
        reached.raise()
        return response
      case .scheme: return context.answer(401, [.wwwAuthenticate: "Slow realm=x"])
      case .retrier, .backoff: return context.answer(503)
      default: return context.answer()
      }
    }
  }
}

/// Raises a flag when a request starts.
private struct StartSignal: EventMonitor {
  let flag: Flag

  init(_ flag: Flag) { self.flag = flag }

  func receive(_ event: SessionEvent) {
    if case .started = event.kind { flag.raise() }
  }
}

/// Parts of a session that raise a flag at one place and wait there until the request is cancelled.
private struct Waiting: RequestAdapter, Interceptor, AuthenticationScheme, Retrier {
  let name = "Slow"
  let reached: Flag
  let place: CancellationTests.Place?

  init(_ reached: Flag, _ place: CancellationTests.Place? = nil) {
    self.reached = reached
    self.place = place
  }

  func strength(of challenge: AuthenticationChallenge) -> Int { 9 }

  private func wait() async {
    reached.raise()
    await Flag().raised()
  }

  func adapt(_ request: OutgoingRequest, for session: Session) async throws -> OutgoingRequest {
    await wait()
    return request
  }

  func intercept(
    _ request: OutgoingRequest, context: TransferContext, next: (OutgoingRequest) async throws -> TransportResponse
  ) async throws -> TransportResponse {
    if place == .ownBody {
      let (response, _) = context.begin()
      reached.raise()
      return response
    }
    if place == .interceptorBefore { await wait() }
    let response = try await next(request)
    if place == .interceptorAfter { await wait() }
    return response
  }

  func answer(
    _ challenge: AuthenticationChallenge, with credential: Credential, in context: AuthenticationContext
  ) async throws -> String? {
    await wait()
    return "Slow x"
  }

  func decision(for attempt: AttemptOutcome) async -> RetryDecision {
    await wait()
    return .retry
  }
}

private struct LongBackoff: Retrier {
  func decision(for attempt: AttemptOutcome) async -> RetryDecision { .retry(after: .seconds(3600)) }
}

/// A clock that raises a flag at each sleep, and whose sleeps end only by cancellation.
private struct SignallingClock: Clock {
  let reached: Flag
  var now: VirtualInstant { VirtualInstant() }
  var minimumResolution: Duration { .nanoseconds(1) }

  init(_ reached: Flag) { self.reached = reached }

  func sleep(until deadline: VirtualInstant, tolerance: Duration?) async throws {
    reached.raise()
    await Flag().raised()
    try Task.checkCancellation()
  }
}
