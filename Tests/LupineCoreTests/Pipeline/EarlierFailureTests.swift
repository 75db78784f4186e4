import FoundationEssentials
import HTTPTypes
import LupineMock
@testable import LupineStreams
@testable import LupineTransfers
import Synchronization
import Testing

@testable import LupineCore
@testable import LupineSession

/// Requests that end after a failure, without another exchange.
@Suite struct EarlierFailureTests {
  private static let refusal = MockReply.text("who are you?", status: .unauthorized)

  @Test func `an adapter that fails on a retry leaves the answer that came before it`() async throws {
    let bench = TestBed(Self.refusal)
    let session = try bench.session { $0.adapter(FailingLater()).retrier(Once()) }
    let response = await session.request(TestBed.url).serializingString().response
    #expect(response.error?.kind == .adaptationFailed)
    #expect(response.request?.headers[.custom] == "1")
    #expect(response.response?.status == .unauthorized)
    #expect(response.data == Data("who are you?".utf8))
    #expect(response.metrics.bytesReceived == 12)
    #expect(response.error?.response?.status == .unauthorized)
    #expect(bench.mock.requests.count == 1)
  }

  @Test func `an adapter that fails on a retry follows the failure before it`() async throws {
    let own = LupineError(.missingCredential, "There is no other token.")
    let session = try TestBed(Self.refusal).session { $0.adapter(FailingLater(error: own)).retrier(Once()) }
    let error = await session.request(TestBed.url).validate().serializingString().response.error
    #expect(error?.kind == .missingCredential)
    let earlier = error?.underlying as? LupineError
    #expect(earlier?.kind == .unacceptableStatusCode(401))
    #expect(earlier?.response?.status == .unauthorized)
  }

  @Test func `a retrier does not receive the response of an earlier attempt, and both failures are kept`() async throws
  {
    let seen = Notes<Int?>()
    let own = LupineError(.missingCredential, "There is no other token.")
    let session = try TestBed(Self.refusal).session {
      $0.adapter(FailingLater(error: own)).retrier(Again(times: 2, notes: seen))
    }
    let response = await session.request(TestBed.url).validate().serializingString().response
    #expect(seen.all == [401, nil, nil])
    #expect(response.response?.status == .unauthorized)
    let second = response.error?.underlying as? LupineError
    #expect(second?.kind == .missingCredential)
    #expect((second?.underlying as? LupineError)?.kind == .unacceptableStatusCode(401))
  }

  @Test func `a download keeps the answer that came before an adapter failed`() async throws {
    let session = try TestBed(Self.refusal).session { $0.adapter(FailingLater()).retrier(Once()) }
    let response = await session.download(TestBed.url).serializingFile().response
    #expect(response.error?.kind == .adaptationFailed)
    #expect(response.request?.headers[.custom] == "1")
    #expect(response.response?.status == .unauthorized)
  }

  @Test func `a request that ends before its retry keeps the redirects of the answer before it`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "https://example.com/a", .redirect(to: "https://example.com/b"))
    mock.stub(.get, "https://example.com/b", .text("later", status: .serviceUnavailable))
    let session = try Session.Builder().transport(mock).clock(ImmediateClock()).timeouts(total: .seconds(10))
      .retrier(InAMinute()).build()
    let response = await session.request("https://example.com/a").serializingData().response
    #expect(response.error?.kind == .timedOut(.total))
    #expect(response.response?.status == .serviceUnavailable)
    #expect(response.redirects.map(\.request.url.path) == ["/a"])
  }

  @Test func `a retrier's own error keeps the failure it was asked about`() async throws {
    let session = try TestBed(.text("later", status: .serviceUnavailable)).session { $0.retrier(Ending()) }
    let response = await session.request(TestBed.url).validate().serializingData().response
    #expect(response.error?.kind == .retryRefused)
    #expect(response.error?.response?.status == .serviceUnavailable)
    #expect(response.error?.metrics?.bytesReceived == 5)
    let failure = response.error?.underlying as? LupineError
    #expect(failure?.kind == .unacceptableStatusCode(503))
    #expect(failure?.response?.status == .serviceUnavailable)
    #expect(response.response?.status == .serviceUnavailable)
  }

  @Test func `a retrier's own error has the head of a response without validators`() async throws {
    let session = try TestBed(.text("later", status: .serviceUnavailable)).session { $0.retrier(Ending()) }
    let response = await session.request(TestBed.url).serializingData().response
    #expect(response.error?.kind == .retryRefused)
    #expect(response.error?.response?.status == .serviceUnavailable)
    #expect(response.data == Data("later".utf8))
  }

  @Test func `an error of a stream's retrier keeps the failure it was asked about`() async throws {
    let session = try TestBed(.text("later", status: .serviceUnavailable)).session { $0.retrier(Ending()) }
    let error = await #expect(throws: LupineError.self) {
      for try await _ in session.streamRequest(TestBed.url).serializingBytes() {}
    }
    #expect(error?.kind == .retryRefused)
    #expect(error?.response?.status == .serviceUnavailable)
  }

  @Test func `the underlying error of a retrier's own stays`() async throws {
    let session = try TestBed(.reset).session { $0.retrier(Ending(underlying: Oops())) }
    let error = await session.request(TestBed.url).serializingData().response.error
    #expect(error?.kind == .retryRefused)
    #expect(error?.underlying is Oops)
  }

  @Test func `a failure that a retrier hands back is not its own cause`() async throws {
    let session = try TestBed(.reset).session { $0.retrier(HandingBack()) }
    let error = await session.request(TestBed.url).serializingData().response.error
    #expect(error?.kind == .connectionLost)
    #expect(error?.underlying == nil)
  }

  @Test(arguments: [true, false])
  func `a request that ends while it waits for a retry keeps the failure before`(isTimedOut: Bool) async throws {
    let clock = TestClock()
    let mock = MockTransport()
    mock.stub(.get, "/{any...}", .text("later", status: .serviceUnavailable))
    let session = try Session.Builder().transport(mock).clock(clock).timeouts(idle: nil, total: .seconds(60))
      .retrier(Again(times: 1, delay: .seconds(3_600))).build()
    let request = session.request(TestBed.url).validate()
    async let response = request.serializingData().response
    await clock.waitForSleepers()
    if isTimedOut { clock.advance(by: .seconds(60)) } else { request.cancel() }
    let error = await response.error
    #expect(error?.kind == (isTimedOut ? .timedOut(.total) : .cancelled))
    #expect(error?.response?.status == .serviceUnavailable)
    #expect((error?.underlying as? LupineError)?.kind == .unacceptableStatusCode(503))
    #expect(await response.response?.status == .serviceUnavailable)
  }

  @Test func `a request that is ended before its retry is sent has the one before as its last`() async throws {
    let bench = TestBed(Self.refusal)
    let session = try bench.session { $0.adapter(Cancelling()).retrier(Once()) }
    let response = await session.request(TestBed.url).serializingData().response
    #expect(response.error?.kind == .cancelled)
    #expect(response.request?.headers[.custom] == "1")
    #expect(response.response?.status == .unauthorized)
    #expect(bench.mock.requests.count == 1)
  }
}

private struct Oops: Error {}

/// Writes the number of each attempt into its request, and fails from the second attempt on.
private final class FailingLater: RequestAdapter {
  private let error: any Error
  private let count = Atomic(0)

  init(error: any Error = Oops()) { self.error = error }

  func adapt(_ request: OutgoingRequest, for session: Session) async throws -> OutgoingRequest {
    let number = count.add(1, ordering: .relaxed).newValue
    guard number == 1 else { throw error }
    var request = request
    request.headers[.custom] = "\(number)"
    return request
  }
}

/// Writes the number of each attempt into its request, and cancels all requests from the second attempt on.
private final class Cancelling: RequestAdapter {
  private let count = Atomic(0)

  func adapt(_ request: OutgoingRequest, for session: Session) async throws -> OutgoingRequest {
    let number = count.add(1, ordering: .relaxed).newValue
    if number > 1 { session.cancelAllRequests() }
    var request = request
    request.headers[.custom] = "\(number)"
    return request
  }
}

private struct Once: Retrier {
  func decision(for attempt: AttemptOutcome) async -> RetryDecision { attempt.retries == 0 ? .retry : .doNotRetry }
}

private struct Again: Retrier {
  let times: Int
  var delay = Duration.zero
  var notes = Notes<Int?>()

  func decision(for attempt: AttemptOutcome) async -> RetryDecision {
    notes.add(attempt.response?.status.code)
    return attempt.retries < times ? .retry(after: delay) : .doNotRetry
  }
}

private struct Ending: Retrier {
  var underlying: (any Error)?

  func decision(for attempt: AttemptOutcome) async -> RetryDecision {
    .fail(LupineError(.retryRefused, "Enough.", underlying: underlying))
  }
}

private struct HandingBack: Retrier {
  func decision(for attempt: AttemptOutcome) async -> RetryDecision {
    attempt.error.map { .fail($0) } ?? .doNotRetry
  }
}

private struct InAMinute: Retrier {
  func decision(for attempt: AttemptOutcome) async -> RetryDecision { .retry(after: .seconds(60)) }
}
