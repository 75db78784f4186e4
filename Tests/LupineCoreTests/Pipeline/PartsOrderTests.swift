import HTTPTypes
import LupineMock
import Testing

@testable import LupineCore
@testable import LupineSession

@Suite struct PartsOrderTests {
  @Test func `the session's adapters run before the request's, on every attempt`() async throws {
    let bench = TestBed(.sequence([.status(.serviceUnavailable), .text("hello")]))
    let session = try bench.session { $0.adapter(Mark("1")).adapter(Mark("2")).retrier(.backoff()) }
    _ = try await session.request(TestBed.url).adapter(Mark("3")).serializingData().value
    #expect(bench.mock.requests.map { $0.headers[values: .custom] } == [["1", "2", "3"], ["1", "2", "3"]])
  }

  @Test func `the session's interceptors stand around the request's`() async throws {
    let notes = Notes<String>()
    let session = try TestBed().session { $0.interceptor(Tell("a", notes)).interceptor(Tell("b", notes)) }
    _ = try await session.request(TestBed.url).interceptor(Tell("c", notes)).serializingData().value
    #expect(notes.all == ["a in", "b in", "c in", "c out", "b out", "a out"])
  }

  @Test func `interceptors run once for each attempt`() async throws {
    let notes = Notes<String>()
    let bench = TestBed(.sequence([.status(.serviceUnavailable), .text("hello")]))
    let session = try bench.session { $0.interceptor(Tell("a", notes)).retrier(.backoff()) }
    _ = try await session.request(TestBed.url).serializingData().value
    #expect(notes.all == ["a in", "a out", "a in", "a out"])
  }

  @Test func `the first retrier with an opinion decides, the session's first`() async throws {
    let notes = Notes<String>()
    let bench = TestBed(.fault(.connectionRefused))
    let session = try bench.session { $0.retrier(Opinion("a", .doNotRetry, notes)) }
    let refusal = LupineError(.retryRefused, "No.")
    let response = await session.request(TestBed.url)
      .retrier(Opinion("b", .fail(refusal), notes)).retrier(Opinion("c", .retry, notes)).serializingData().response
    #expect(notes.all == ["a", "b"])
    #expect(response.error?.kind == .retryRefused)
    #expect(response.error?.request?.method == .get)
  }

  @Test func `an error of an adapter ends the request before anything is sent`() async throws {
    let bench = TestBed()
    let session = try bench.session { $0.adapter(Throwing()) }
    let response = await session.request(TestBed.url).serializingData().response
    #expect(response.error?.kind == .adaptationFailed)
    #expect(response.error?.underlying is Throwing.Failure)
    #expect(bench.mock.requests.isEmpty)
  }

  @Test func `the error of an interceptor names the interceptor`() async throws {
    let session = try TestBed().session { $0.interceptor(Throwing()) }
    let response = await session.request(TestBed.url).serializingData().response
    #expect(response.error?.kind == .interceptionFailed)
    #expect(response.error?.underlying is Throwing.Failure)
  }

  @Test func `an error of this library's passes an interceptor unchanged`() async throws {
    let session = try TestBed(.fault(.hostNotFound)).session { $0.interceptor(Pass()) }
    #expect(await session.request(TestBed.url).serializingData().response.error?.kind == .hostNotFound)
  }

  @Test func `an interceptor may answer by itself, to the request as it was adapted`() async throws {
    let bench = TestBed()
    let session = try bench.session { $0.adapter(Mark("1")).interceptor(Own(text: "cached")) }
    let response = await session.request(TestBed.url).serializingString().response
    #expect(response.value == "cached")
    #expect(response.request?.headers[.custom] == "1")
    #expect(bench.mock.requests.isEmpty)
  }

  @Test func `an interceptor that answers after the exchange ends what it dropped`() async throws {
    let cancelled = Flag()
    let transport = ClosureTransport { _, context throws(LupineError) in
      let (response, _) = context.begin()
      context.onCancel { cancelled.raise() }
      return response
    }
    let session = try Session.Builder().transport(transport).interceptor(Own(text: "own", asksFirst: true)).build()
    #expect(try await session.request(TestBed.url).serializingString().value == "own")
    await cancelled.raised()
  }

  @Test func `an interceptor that asks twice ends the first exchange`() async throws {
    struct Twice: Interceptor {
      func intercept(
        _ request: OutgoingRequest, context: TransferContext,
        next: (OutgoingRequest) async throws -> TransportResponse
      ) async throws -> TransportResponse {
        _ = try await next(request)
        return try await next(request)
      }
    }
    let cancelled = Flag()
    let count = Notes<Int>()
    let transport = ClosureTransport { _, context throws(LupineError) in
      count.add(1)
      if count.all.count == 2 { return context.answer(200, [:], "second") }
      context.onCancel { cancelled.raise() }
      return context.begin().0
    }
    let session = try Session.Builder().transport(transport).interceptor(Twice()).build()
    #expect(try await session.request(TestBed.url).serializingString().value == "second")
    await cancelled.raised()
  }

  @Test func `an interceptor that throws after the head ends the exchange`() async throws {
    struct Late: Interceptor {
      func intercept(
        _ request: OutgoingRequest, context: TransferContext,
        next: (OutgoingRequest) async throws -> TransportResponse
      ) async throws -> TransportResponse {
        _ = try await next(request)
        throw Throwing.Failure()
      }
    }
    let cancelled = Flag()
    let transport = ClosureTransport { _, context throws(LupineError) in
      context.onCancel { cancelled.raise() }
      return context.begin().0
    }
    let session = try Session.Builder().transport(transport).interceptor(Late()).build()
    #expect(await session.request(TestBed.url).serializingData().response.error?.kind == .interceptionFailed)
    await cancelled.raised()
  }
}

private struct Tell: Interceptor {
  let name: String
  let notes: Notes<String>

  init(_ name: String, _ notes: Notes<String>) {
    self.name = name
    self.notes = notes
  }

  func intercept(
    _ request: OutgoingRequest, context: TransferContext, next: (OutgoingRequest) async throws -> TransportResponse
  ) async throws -> TransportResponse {
    notes.add("\(name) in")
    defer { notes.add("\(name) out") }
    return try await next(request)
  }
}

private struct Opinion: Retrier {
  let name: String
  let opinion: RetryDecision
  let notes: Notes<String>

  init(_ name: String, _ opinion: RetryDecision, _ notes: Notes<String>) {
    self.name = name
    self.opinion = opinion
    self.notes = notes
  }

  func decision(for attempt: AttemptOutcome) async -> RetryDecision {
    notes.add(name)
    return opinion
  }
}

private struct Throwing: RequestAdapter, Interceptor {
  struct Failure: Error {}

  func adapt(_ request: OutgoingRequest, for session: Session) async throws -> OutgoingRequest { throw Failure() }

  func intercept(
    _ request: OutgoingRequest, context: TransferContext, next: (OutgoingRequest) async throws -> TransportResponse
  ) async throws -> TransportResponse {
    throw Failure()
  }
}

private struct Own: Interceptor {
  let text: String
  var asksFirst = false

  func intercept(
    _ request: OutgoingRequest, context: TransferContext, next: (OutgoingRequest) async throws -> TransportResponse
  ) async throws -> TransportResponse {
    if asksFirst { _ = try await next(request) }
    return context.answer(200, [:], text)
  }
}
