import HTTPTypes
import LupineCore
import LupineMock
import LupineSession
import LupineStreams
import Testing

/// The properties of a running request that a program reads.
@Suite struct RequestStateTests {
  /// A server that answers after a test has released it.
  private struct Server {
    let arrived = Flag()
    let released = Flag()
    let session: Session

    init() throws {
      let mock = MockTransport()
      mock.stub(.get, "/{any...}") { [arrived, released] _ in
        arrived.raise()
        await released.raised()
        return .text("hello")
      }
      session = try Session.Builder().transport(mock).clock(ImmediateClock()).build()
    }
  }

  @Test func `a request is initialized, then resumed, then finished`() async throws {
    let server = try Server()
    let request = server.session.request(TestBed.url)
    #expect(request.state == .initialized)
    #expect(request.isInitialized)
    request.response { _ in }
    #expect(request.state == .resumed)
    #expect(request.isResumed)
    await server.arrived.raised()
    server.released.raise()
    _ = await request.serializingData().response
    #expect(request.state == .finished)
    #expect(request.isFinished)
    #expect(!request.isCancelled)
  }

  @Test func `a request that is suspended and resumed`() async throws {
    let server = try Server()
    let request = server.session.request(TestBed.url).suspend()
    #expect(request.state == .suspended)
    request.response { _ in }
    #expect(request.isSuspended)
    request.resume()
    #expect(request.state == .resumed)
    await server.arrived.raised()
    request.suspend()
    #expect(request.state == .suspended)
    request.resume()
    server.released.raise()
    _ = await request.serializingData().response
    request.suspend()
    #expect(request.state == .finished)
  }

  @Test func `a cancelled request stays cancelled, before its start and after its end`() async throws {
    let server = try Server()
    let unstarted = server.session.request(TestBed.url).cancel()
    #expect(unstarted.state == .cancelled)
    let running = server.session.request(TestBed.url)
    running.response { _ in }
    await server.arrived.raised()
    running.suspend().cancel()
    #expect(running.state == .cancelled)
    running.resume()
    #expect(await running.serializingData().response.error?.isCancelled == true)
    #expect(running.isCancelled)
    #expect(!running.isFinished)
    server.released.raise()
  }

  @Test func `a cancellation after the end changes nothing`() async throws {
    let request = try TestBed().session().request(TestBed.url)
    _ = await request.serializingData().response
    request.cancel()
    #expect(request.state == .finished)
  }

  @Test func `a request that ends with an error, such as a timeout or a shutdown, is finished`() async throws {
    let bench = TestBed(.reset)
    let session = try bench.session {
      $0.retrier(Always(decision: .retryAfter(.seconds(60)))).timeouts(total: .seconds(9))
    }
    let late = session.request(TestBed.url)
    #expect(await late.serializingData().response.error?.kind == .timedOut(.total))
    #expect(late.state == .finished)
    await session.shutdown()
    let refused = session.request(TestBed.url)
    #expect(refused.state == .initialized)
    #expect(await refused.serializingData().response.error?.kind == .sessionShutDown)
    #expect(refused.state == .finished)
  }

  @Test func `a request that does not start immediately is initialized until it is resumed`() async throws {
    let bench = TestBed()
    let request = try bench.session().request(TestBed.url).startsImmediately(false)
    let lengths = Notes<Int?>()
    request.responseData { lengths.add($0.value?.count) }
    async let value = request.serializingString().value
    #expect(request.state == .initialized)
    #expect(bench.mock.requests.isEmpty)
    request.resume()
    #expect(try await value == "hello")
    await request.execution.session.finishRequests()
    #expect(lengths.all == [5])
    #expect(request.state == .finished)
  }

  @Test(.timeLimit(.minutes(1)))
  func `an awaited request that is held starts when it may start immediately`() async throws {
    let bench = TestBed()
    let request = try bench.session().request(TestBed.url).startsImmediately(false)
    let value = Task.immediate { try await request.serializingString().value }
    #expect(request.state == .initialized)
    #expect(bench.mock.requests.isEmpty)
    request.startsImmediately(true)
    #expect(try await value.value == "hello")
  }

  @Test func `other requests of the session start immediately`() async throws {
    let bench = TestBed()
    let session = try bench.session()
    let held = session.request(TestBed.url).startsImmediately(false)
    held.response { _ in }
    #expect(try await session.request(TestBed.url).serializingString().value == "hello")
    #expect(bench.mock.requests.map(\.id) != [held.id])
    #expect(held.state == .initialized)
    held.cancel()
    await session.finishRequests()
  }

  @Test func `one request may start immediately in a session whose requests do not`() async throws {
    let bench = TestBed()
    let session = try bench.session { $0.startsImmediately(false) }
    #expect(try await session.request(TestBed.url).startsImmediately(true).serializingString().value == "hello")
    let ended = Flag()
    // The handler comes first here, so that the call starts the request.
    session.request(TestBed.url).response { _ in ended.raise() }.startsImmediately(true)
    await ended.raised()
    #expect(bench.mock.requests.count == 2)
  }

  @Test func `a suspended request stays suspended, and one that has started runs on`() async throws {
    let session = try TestBed().session()
    #expect(session.request(TestBed.url).suspend().startsImmediately(true).state == .suspended)
    let started = session.request(TestBed.url).resume()
    #expect(try await started.startsImmediately(false).serializingString().value == "hello")
  }

  @Test func `retries are counted, and the number is kept`() async throws {
    let bench = TestBed(.sequence([.status(.serviceUnavailable), .reset, .text("hello")]))
    let request = try bench.session { $0.retrier(.backoff(limit: 2)) }.request(TestBed.url)
    #expect(request.retryCount == 0)
    let counts = Notes<Int>()
    request.monitor(
      ClosureEventMonitor { [weak execution = request.execution] event in
        guard let execution, case .sending = event.kind else { return }
        counts.add(Running(execution: execution).retryCount)
      })
    #expect(try await request.serializingString().value == "hello")
    #expect(counts.all == [0, 1, 2])
    #expect(request.retryCount == 2)
  }

  @Test func `a retry that ends in its delay or in an adapter, and sends nothing, does not count`() async throws {
    let bench = TestBed(.reset)
    let delayed = try bench.session { $0.clock(TestClock()).retrier(.backoff(limit: 2)) }.request(TestBed.url)
    let isRetrying = Flag()
    delayed.monitor(
      ClosureEventMonitor { event in if case .retrying(_?, _) = event.kind { isRetrying.raise() } })
    async let response = delayed.serializingData().response
    await isRetrying.raised()
    delayed.cancel()
    #expect(await response.error?.isCancelled == true)
    #expect(delayed.retryCount == 0)

    let calls = Notes<Int>()
    let refused = try bench.session { $0.clock(ImmediateClock()).retrier(.backoff(limit: 2)) }.request(TestBed.url)
    #expect(
      await refused.adapter(FailingAtRetry(calls: calls)).serializingData().response.error?.kind == .adaptationFailed)
    #expect(calls.all.count == 2)
    #expect(refused.retryCount == 0)
  }

  @Test func `a request without a retrier has no retries`() async throws {
    let request = try TestBed(.reset).session().request(TestBed.url)
    _ = await request.serializingData().response
    #expect(request.retryCount == 0)
  }

  /// Fails from the second attempt on.
  private struct FailingAtRetry: RequestAdapter {
    let calls: Notes<Int>

    func adapt(_ request: OutgoingRequest, for session: Session) async throws -> OutgoingRequest {
      calls.add(1)
      if calls.all.count > 1 { throw LupineError(.adaptationFailed, "No token.") }
      return request
    }
  }

  /// A request of a program's own kind.
  private struct Running: SessionRequest {
    let execution: RequestExecution
  }
}
