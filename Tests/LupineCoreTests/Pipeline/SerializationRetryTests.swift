import FoundationEssentials
import HTTPTypes
import LupineCoding
import LupineFixtures
import LupineMock
import LupineStreams
import Synchronization
import Testing

@testable import LupineCore
@testable import LupineSession

/// Retries after a serializer has failed.
@Suite struct SerializationRetryTests {
  /// A server whose first response is no JSON.
  private let bench = TestBed(.sequence([.text("{"), .text("[1]")]))

  @Test func `a retrier may repeat a request whose serializer has failed`() async throws {
    let retrier = LimitedRetrier()
    let request = try bench.session { $0.retrier(retrier) }.request(TestBed.url)
    #expect(try await request.validate().serializingJSON().value == [1])
    #expect(bench.mock.requests.map(\.attempt) == [1, 2])
    #expect(request.retryCount == 1)
    let seen = try #require(retrier.notes.all.first)
    #expect(retrier.notes.all.count == 1)
    #expect(seen.error?.kind == .serializationFailed)
    #expect(seen.error?.body == Data("{".utf8))
    #expect(seen.response?.status == .ok)
    #expect(seen.number == 1)
    #expect(seen.failedInSerializer)
  }

  @Test func `the retrier may be the request's own, and its requests may have handlers`() async throws {
    let session = try bench.session()
    let results = Notes<JSONValue?>()
    let request = session.request(TestBed.url).responseJSON { results.add($0.value) }
    await session.finishRequests()
    #expect(results.all == [nil])
    let retried = TestBed(.sequence([.text("{"), .text("[1]")]))
    let other = try retried.session()
    other.request(TestBed.url).retrier(LimitedRetrier()).responseJSON { results.add($0.value) }
    await other.finishRequests()
    #expect(results.all == [nil, [1]])
    #expect(request.retryCount == 0)
  }

  @Test func `the policies of Lupine do not repeat it`() async throws {
    let session = try bench.session { $0.retrier(.backoff(limit: 3)).retrier(.connectionLost()) }
    let response = await session.request(TestBed.url).serializingJSON().response
    #expect(response.error?.kind == .serializationFailed)
    #expect(response.data == Data("{".utf8))
    #expect(bench.mock.requests.count == 1)
    #expect(session.retryBudget.remaining(for: try HTTPURL(TestBed.url)) == 100)
  }

  @Test(arguments: [LupineError.Kind.contentDecodingFailed, .connectionLost])
  func `the policies of Lupine do not repeat it, whatever the kind of its error`(kind: LupineError.Kind) async throws {
    let session = try bench.session { $0.retrier(.backoff(limit: 3)).retrier(.connectionLost()) }
    let serializer = ClosureResponseSerializer<String> { _ in throw LupineError(kind, "The serializer failed.") }
    let response = await session.request(TestBed.url).serializingResponse(using: serializer).response
    #expect(response.error?.kind == kind)
    #expect(bench.mock.requests.count == 1)
  }

  @Test func `the events explain the retry`() async throws {
    _ = try await bench.session { $0.retrier(LimitedRetrier()) }.request(TestBed.url).serializingJSON().value
    #expect(
      bench.log.names.filter { ["serialized", "retrying", "finished"].contains($0) } == [
        "serialized", "retrying", "serialized", "finished",
      ])
    let reasons = bench.log.all.compactMap { event -> String? in
      if case .retrying(.some, let reason) = event.kind { reason } else { nil }
    }
    #expect(reasons.count == 1)
    #expect(reasons.first?.contains("JSON") == true)
  }

  @Test func `every consumer receives the last response, and each serializer runs once for it`() async throws {
    let (counting, lenient) = (ArrayText(), AnyText())
    let session = try bench.session { $0.retrier(LimitedRetrier()) }
    let handled = Notes<String?>()
    let request = session.request(TestBed.url).startsImmediately(false)
      .response(responseSerializer: lenient) { handled.add($0.value) }
      .response(responseSerializer: counting) { handled.add($0.value) }
      .response { handled.add($0.data.map { "\($0.count) bytes" }) }
    request.resume()
    await session.finishRequests()
    #expect(handled.all == ["[1]", "[1]", "3 bytes"])
    #expect(lenient.notes.all == ["{", "[1]"])
    #expect(counting.notes.all == ["{", "[1]"])
    #expect(bench.mock.requests.count == 2)
  }

  @Test func `if no retrier repeats it, the other consumers keep their values`() async throws {
    let (counting, lenient, last) = (ArrayText(), AnyText(), AnyText())
    let retrier = LimitedRetrier(limit: 0)
    let session = try bench.session { $0.retrier(retrier) }
    let handled = Notes<String>()
    session.request(TestBed.url).startsImmediately(false)
      .response(responseSerializer: lenient) { handled.add($0.value ?? "\($0.error?.kind == .serializationFailed)") }
      .response(responseSerializer: counting) { handled.add($0.value ?? "\($0.error?.underlying is NoArray)") }
      .response(responseSerializer: last) { handled.add($0.value ?? "none") }
      .resume()
    await session.finishRequests()
    #expect(handled.all == ["{", "true", "{"])
    #expect([lenient.notes, counting.notes, last.notes].map(\.all.count) == [1, 1, 1])
    #expect(retrier.notes.all.count == 1)
    #expect(bench.log.finishedCount == 1)
  }

  @Test func `a consumer that is added after the end does not repeat the request`() async throws {
    let retrier = LimitedRetrier()
    let request = try bench.session { $0.retrier(retrier) }.request(TestBed.url)
    #expect(try await request.serializingString().value == "{")
    #expect(await request.serializingJSON().response.error?.kind == .serializationFailed)
    #expect(bench.mock.requests.count == 1)
    #expect(retrier.notes.all.isEmpty)
  }

  @Test func `a value of a response that was repeated is not used for an error page that follows`() async throws {
    let pages = TestBed(.sequence([.text("{"), .text("[gone]", status: .notFound)]))
    let (lenient, counting) = (AnyText(), ArrayText())
    let session = try pages.session { $0.retrier(LimitedRetrier()) }
    let handled = Notes<String?>()
    session.request(TestBed.url).startsImmediately(false)
      .response(responseSerializer: lenient) { handled.add($0.value) }
      .response(responseSerializer: counting) { handled.add($0.value) }
      .resume()
    await session.finishRequests()
    #expect(handled.all == ["[gone]", "[gone]"])
  }

  @Test func `a body that can be sent only once is not sent again`() async throws {
    let bytes = AsyncStream<[UInt8]> { continuation in
      continuation.yield([1])
      continuation.finish()
    }
    let session = try bench.session { $0.retrier(Always()) }
    let response = await session.upload(.oneShot(bytes), to: TestBed.url).serializingJSON().response
    #expect(response.error?.kind == .serializationFailed)
    #expect(response.error?.message.contains("the request's body can be sent only once") == true)
    #expect(bench.mock.requests.count == 1)
    #expect(bench.log.names.contains("retrying"))
  }

  @Test func `a body that can be sent again is sent again`() async throws {
    let session = try bench.session { $0.retrier(Always()) }
    #expect(try await session.upload(Data("x".utf8), to: TestBed.url).serializingJSON().value == [1])
    #expect(bench.mock.requests.count == 2)
  }

  @Test func `a retrier that ends the request gives its error to every consumer`() async throws {
    let own = LupineError(.retryRefused, "That is enough.")
    let session = try bench.session { $0.retrier(Always(decision: .fail(own))) }
    let errors = Notes<LupineError?>()
    session.request(TestBed.url).startsImmediately(false)
      .responseString { errors.add($0.error) }.responseJSON { errors.add($0.error) }
      .resume()
    await session.finishRequests()
    #expect(errors.all.map { $0?.kind } == [.retryRefused, .retryRefused])
    #expect((errors.all.first??.underlying as? LupineError)?.kind == .serializationFailed)
  }

  @Test func `a request that is cancelled while a serializer runs is not repeated`() async throws {
    let retrier = LimitedRetrier()
    let request = try bench.session { $0.retrier(retrier) }.request(TestBed.url)
    let serializer = ClosureResponseSerializer { [weak execution = request.execution] _ in
      execution?.cancel()
      throw NoArray()
    }
    let response = await request.serializingResponse(using: serializer).response
    #expect(response.error?.kind == .cancelled)
    #expect(response.response?.status == .ok)
    #expect(retrier.notes.all.isEmpty)
    #expect(bench.mock.requests.count == 1)
  }

  @Test func `the total timeout ends the wait for the next attempt`() async throws {
    let session = try bench.session {
      $0.retrier(Always(decision: .retryAfter(.seconds(60)))).timeouts(total: .seconds(9))
    }
    let response = await session.request(TestBed.url).serializingJSON().response
    #expect(response.error?.kind == .timedOut(.total))
    #expect((response.error?.underlying as? LupineError)?.kind == .serializationFailed)
    #expect(bench.mock.requests.count == 1)
  }

  @Test func `a retrier hears of a success once the serializers have succeeded`() async throws {
    let counting = SuccessCounter()
    let session = try bench.session { $0.retrier(counting) }
    _ = await session.request(TestBed.url).serializingJSON().response
    #expect(counting.successes.all.isEmpty)
    _ = await session.request(TestBed.url).serializingJSON().response
    #expect(counting.successes.all.count == 1)
  }

  @Test func `a stream is not repeated after its body was handed over`() async throws {
    let retrier = LimitedRetrier()
    let session = try bench.session { $0.retrier(retrier) }
    var lines: [String] = []
    for try await line in session.streamRequest(TestBed.url).serializingLines() { lines.append(line) }
    #expect(lines == ["{"])
    #expect(retrier.notes.all.isEmpty)
    #expect(bench.mock.requests.count == 1)
  }
}

/// Never retries, and records the requests that succeeded.
private struct SuccessCounter: Retrier {
  let successes = Notes<String>()

  func decision(for attempt: AttemptOutcome) async -> RetryDecision { .doNotRetry }

  func didSucceed(_ request: OutgoingRequest) { successes.add(request.url.path) }
}
