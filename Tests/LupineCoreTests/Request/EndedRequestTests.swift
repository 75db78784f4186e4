import FoundationEssentials
import HTTPTypes
import LupineFixtures
import LupineMock
import Testing

@testable import LupineCore
@testable import LupineTransfers
@testable import LupineStreams
@testable import LupineSession

/// Requests that the client ends after the head and a piece of the body have arrived.
///
/// Their results keep the head and the metrics.
@Suite struct EndedRequestTests {
  enum Form: CaseIterable, Sendable {
    case data, upload, download, bytes, byteHandler, events, eventHandler

    /// Whether a task awaits the request, so that the cancellation of the task ends the request.
    var isAwaited: Bool { self != .byteHandler && self != .eventHandler }
  }

  enum Way: CaseIterable, Sendable {
    case request, atHead, total, attempt, deadline, shutdown, task

    var kind: LupineError.Kind {
      switch self {
      case .request, .atHead, .task: .cancelled
      case .total, .deadline: .timedOut(.total)
      case .attempt: .timedOut(.attempt)
      case .shutdown: .sessionShutDown
      }
    }
  }

  private static let cases = Form.allCases.flatMap { form in
    Way.allCases.filter { form.isAwaited || $0 != .task }.map { (form, $0) }
  }

  @Test(arguments: cases)
  func `an ended request has the head and the metrics`(form: Form, way: Way) async throws {
    let bench = try EndedBench(way)
    let request = bench.request(form, way)
    let task = Task { await bench.end(of: request, form) }
    // With `atHead` the request ends by itself, perhaps before this task could wait for the clock.
    if way != .atHead { await bench.clock.waitForSleepers() }
    switch way {
    case .request: _ = request.cancel()
    case .shutdown: await bench.session.shutdown()
    case .task: task.cancel()
    case .total, .attempt, .deadline: bench.clock.advance(by: .seconds(60))
    case .atHead: break
    }
    let ending = await task.value
    #expect(ending.error?.kind == way.kind)
    bench.expectKnown(ending, sent: form == .upload ? 5 : 0)
    #expect(request.allMetrics.map(\.bytesReceived) == [9])
    await bench.session.finishRequests()
    bench.expectTold(way.kind)
  }

  @Test(arguments: [Form.data, .upload, .download])
  func `a retrier receives the head of an attempt that timed out`(form: Form) async throws {
    let seen = Notes<AttemptOutcome>()
    let bench = try EndedBench(.attempt) { $0.retrier(Noting(notes: seen)) }
    let request = bench.request(form, .attempt)
    let task = Task { await bench.end(of: request, form) }
    await bench.clock.waitForSleepers()
    bench.clock.advance(by: .seconds(60))
    _ = await task.value
    #expect(seen.all.map(\.error?.kind) == [.timedOut(.attempt)])
    #expect(seen.all.first?.response?.headerFields[.setCookie] == "a=1")
    #expect(seen.all.first?.error?.metrics?.bytesReceived == 9)
  }

  enum Reading: CaseIterable, Sendable {
    case limit, line, value, event

    var kind: LupineError.Kind {
      switch self {
      case .limit: .limitExceeded(.sink)
      case .value: .serializationFailed
      case .line, .event: .limitExceeded(.line)
      }
    }
  }

  @Test(arguments: Reading.allCases, [true, false])
  func `a stream that its reader refuses has the head and the metrics`(
    reading: Reading, isHandled: Bool
  ) async throws {
    let bench = try EndedBench(.request)
    let request = bench.session.streamRequest(TestBed.url)
    let ending = isHandled ? await handled(request, reading) : await read(request, reading)
    #expect(ending.error?.kind == reading.kind)
    bench.expectKnown(ending, sent: 0)
    await bench.session.finishRequests()
    bench.expectTold(reading.kind)
  }

  private func read(_ request: DataStreamRequest, _ reading: Reading) async -> Ending {
    do throws(LupineError) {
      switch reading {
      case .limit: for try await _ in request.serializingBytes(limit: 4) {}
      case .line: for try await _ in request.serializingLines(limit: 4) {}
      case .value: for try await _ in request.serializingDecodableLines(of: Int.self) {}
      case .event: for try await _ in request.serializingEvents(limit: 4) {}
      }
      return Ending()
    } catch {
      return Ending(error: error)
    }
  }

  private func handled(_ request: DataStreamRequest, _ reading: Reading) async -> Ending {
    await withCheckedContinuation { done in
      switch reading {
      case .limit: request.responseStream(limit: 4) { Ending.receive($0, done) }
      case .line: request.responseStreamLine(limit: 4) { Ending.receive($0, done) }
      case .value: request.responseStreamDecodable(of: Int.self) { Ending.receive($0, done) }
      case .event: request.responseStreamEvent(limit: 4) { Ending.receive($0, done) }
      }
    }
  }

  @Test(arguments: [true, false])
  func `a stream that its handler cancels has the head and the metrics`(isOfEvents: Bool) async throws {
    let bench = try EndedBench(.request)
    let request = bench.session.streamRequest(TestBed.url)
    let ending = await withCheckedContinuation { done in
      if isOfEvents {
        request.responseStreamEvent { stream in
          stream.cancel()
          Ending.receive(stream, done)
        }
      } else {
        request.responseStream { stream in
          stream.cancel()
          Ending.receive(stream, done)
        }
      }
    }
    #expect(ending.error?.kind == .cancelled)
    bench.expectKnown(ending, sent: 0)
  }

  @Test func `of two exchanges the last one's head counts`() async throws {
    let clock = TestClock()
    let asked = Flag()
    let session = try Session.Builder().clock(clock).timeouts(idle: nil).retrier(RetryPolicy(limit: 1, jitter: 0))
      .transport(
        ClosureTransport { _, context throws(LupineError) in
          context.attempt == 1 ? context.answer(503) : try await context.hang(asked)
        }
      ).build()
    let request = session.request(TestBed.url)
    async let response = request.serializingData().response
    await clock.run()
    await asked.raised()
    request.cancel()
    #expect(await response.response == nil)
    #expect(await response.error?.response == nil)
    #expect(await response.error?.underlying == nil)
  }

  @Test func `the head of a response that an interceptor made is known`() async throws {
    let begun = Flag()
    let session = try Session.Builder().transport(MockTransport()).interceptor(Answering(begun: begun)).build()
    let request = session.request(TestBed.url)
    async let response = request.serializingData().response
    await begun.raised()
    request.cancel()
    #expect(await response.response?.status == .accepted)
    #expect(await response.error?.response?.status == .accepted)
  }

  @Test func `an interceptor that fails after the head keeps the head and the metrics`() async throws {
    let clock = TestClock()
    let bench = try EndedBench(.request, on: clock) { $0.interceptor(Refusing(clock: clock)) }
    let response = await bench.session.request(TestBed.url).serializingData().response
    #expect(response.error?.kind == .interceptionFailed)
    #expect(response.response?.status == .ok)
    #expect(response.metrics.bytesReceived == 9)
    #expect(response.error?.metrics?.bytesReceived == 9)
  }
}

/// The response, the metrics and the error of a request that has ended.
private struct Ending: Sendable {
  var response: HTTPResponse?
  var metrics: TransferMetrics?
  var error: LupineError?
  /// Whether `response` and `metrics` are part of the result as well as `error`.
  var isWhole = false

  init(error: LupineError? = nil) { self.error = error }

  init(_ response: HTTPResponse?, _ metrics: TransferMetrics?, _ error: LupineError?) {
    (self.response, self.metrics, self.error, isWhole) = (response, metrics, error, true)
  }

  static func receive<Value>(_ stream: DataStreamRequest.Stream<Value>, _ done: CheckedContinuation<Ending, Never>) {
    guard let completion = stream.completion else { return }
    done.resume(returning: Ending(completion.response, completion.metrics, completion.error))
  }
}

/// A session over a mock that sleeps on the clock after the first 9 bytes of each reply.
private struct EndedBench {
  let clock: TestClock
  let log = EventLog()
  let session: Session
  private let folder: TemporaryFolder

  init(
    _ way: EndedRequestTests.Way, on clock: TestClock = TestClock(),
    _ change: (Session.Builder) -> Session.Builder = { $0 }
  ) throws {
    self.clock = clock
    folder = try TemporaryFolder()
    let mock = MockTransport()
    let reply = MockReply.text("", contentType: "text/event-stream").field(.setCookie, "a=1")
      .chunked(["data: 1\n\n", "data: 2\n\n"], every: .seconds(1_000))
    mock.stub([.get, .post], "/{any...}", reply)
    let bound = Duration.seconds(60)
    session = try change(
      Session.Builder().transport(mock).clock(clock).monitor(log)
        .timeouts(idle: nil, total: way == .total ? bound : nil, attempt: way == .attempt ? bound : nil)
    ).build()
  }

  func request(_ form: EndedRequestTests.Form, _ way: EndedRequestTests.Way) -> any SessionRequest {
    let request: any SessionRequest =
      switch form {
      case .data: session.request(TestBed.url)
      case .upload: session.upload(Data("hello".utf8), to: TestBed.url)
      case .download: session.download(TestBed.url, to: .file(folder.file("a")))
      case .bytes, .byteHandler, .events, .eventHandler: session.streamRequest(TestBed.url)
      }
    if way == .deadline { _ = request.deadline(clock.now.advanced(by: .seconds(60))) }
    guard way == .atHead else { return request }
    return request.onHTTPResponse { [clock] _ in
      await clock.waitForSleepers()
      return .cancel
    }
  }

  func end(of request: any SessionRequest, _ form: EndedRequestTests.Form) async -> Ending {
    switch request {
    case let request as DataRequest: return Self.ending(await request.serializingData().response)
    case let request as UploadRequest: return Self.ending(await request.serializingData().response)
    case let request as DownloadRequest:
      let response = await request.serializingFile().response
      return Ending(response.response, response.metrics, response.error)
    case let request as DataStreamRequest: return await end(of: request, form)
    default: return Ending()
    }
  }

  private static func ending(_ response: DataResponse<Data>) -> Ending {
    Ending(response.response, response.metrics, response.error)
  }

  private func end(of request: DataStreamRequest, _ form: EndedRequestTests.Form) async -> Ending {
    do throws(LupineError) {
      switch form {
      case .bytes: for try await _ in request.serializingBytes() {}
      case .events: for try await _ in request.serializingEvents(reconnects: false) {}
      case .byteHandler:
        return await withCheckedContinuation { done in request.responseStream { Ending.receive($0, done) } }
      default:
        return await withCheckedContinuation { done in
          request.responseStreamEvent(reconnects: false) { Ending.receive($0, done) }
        }
      }
      return Ending()
    } catch {
      return Ending(error: error)
    }
  }

  /// Expects a redacted head in the error, and a head with all its fields in the response.
  func expectKnown(_ ending: Ending, sent: Int64, at location: SourceLocation = #_sourceLocation) {
    let error = ending.error
    #expect(error?.response?.status == .ok, sourceLocation: location)
    #expect(error?.response?.headerFields[.setCookie] == "<redacted>", sourceLocation: location)
    #expect(error?.request?.description.contains("/v1/users") == true, sourceLocation: location)
    #expect(error?.metrics?.bytesReceived == 9, sourceLocation: location)
    #expect(error?.metrics?.bytesSent == sent, sourceLocation: location)
    guard ending.isWhole else { return }
    #expect(ending.response?.headerFields[.setCookie] == "a=1", sourceLocation: location)
    #expect(ending.metrics?.bytesReceived == 9, sourceLocation: location)
    #expect(ending.metrics?.bytesSent == sent, sourceLocation: location)
  }

  /// Expects the head and the metrics in the events.
  func expectTold(_ kind: LupineError.Kind, at location: SourceLocation = #_sourceLocation) {
    let errors = log.all.compactMap { event -> LupineError? in
      switch event.kind {
      case .failed(let error), .finished(let error?): error
      default: nil
      }
    }
    #expect(errors.map(\.kind) == [kind, kind], sourceLocation: location)
    #expect(errors.map(\.response?.status) == [.ok, .ok], sourceLocation: location)
    #expect(errors.map(\.metrics?.bytesReceived) == [9, 9], sourceLocation: location)
  }
}

private struct Noting: Retrier {
  let notes: Notes<AttemptOutcome>

  func decision(for attempt: AttemptOutcome) async -> RetryDecision {
    notes.add(attempt)
    return .doNotRetry
  }
}

/// Returns a response of its own, whose body never ends.
private struct Answering: Interceptor {
  let begun: Flag

  func intercept(
    _ request: OutgoingRequest, context: TransferContext, next: (OutgoingRequest) async throws -> TransportResponse
  ) async throws -> TransportResponse {
    let (response, _) = context.begin(202)
    begun.raise()
    return response
  }
}

/// Throws after a response and the first piece of its body have arrived.
private struct Refusing: Interceptor {
  struct Refusal: Error {}

  let clock: TestClock

  func intercept(
    _ request: OutgoingRequest, context: TransferContext, next: (OutgoingRequest) async throws -> TransportResponse
  ) async throws -> TransportResponse {
    _ = try await next(request)
    await clock.waitForSleepers()
    throw Refusal()
  }
}
