import HTTPTypes
import LupineMock
@testable import LupineStreams
import Testing

@testable import LupineCore
@testable import LupineSupport
@testable import LupineSession

@Suite struct RetryBudgetTests {
  private static let url = "https://a.example.com/"

  @Test func `a host's retries end with its budget, another host's do not`() async throws {
    let bench = TestBed(.status(.serviceUnavailable))
    let session = try bench.session { $0.retrier(RetryPolicy(limit: 9, budget: RetryBudget(capacity: 12))) }
    for _ in 0..<3 { _ = await session.request(Self.url).serializingData().response }
    #expect(bench.mock.requests.count == 3 + 12)
    _ = await session.request("https://b.example.com/").serializingData().response
    #expect(bench.mock.requests.count == 15 + 10)
  }

  @Test func `successful responses give retries back, up to the capacity`() async throws {
    let budget = RetryBudget(capacity: 2, refund: 0.5)
    let bench = TestBed(.sequence([.status(.serviceUnavailable), .status(.serviceUnavailable), .text("up")]))
    let session = try bench.session { $0.retrier(RetryPolicy(budget: budget)) }
    let url = try HTTPURL(Self.url)
    _ = await session.request(Self.url).serializingData().response
    #expect(budget.remaining(for: url) == 0.5)
    _ = await session.request(Self.url).serializingData().response
    #expect(budget.remaining(for: url) == 1)
    for _ in 0..<9 { _ = await session.request(Self.url).serializingData().response }
    #expect(budget.remaining(for: url) == 2)
  }

  @Test func `an answer that is no success gives a part back as well`() async throws {
    let budget = RetryBudget(capacity: 2, refund: 0.5)
    let bench = TestBed(.sequence([.status(.serviceUnavailable), .status(.notFound)]))
    let session = try bench.session { $0.retrier(RetryPolicy(budget: budget)) }
    _ = await session.request(Self.url).validate().serializingData().response
    #expect(budget.remaining(for: try HTTPURL(Self.url)) == 1.5)
  }

  @Test func `policies without one share their session's, a request's own policy too`() async throws {
    let bench = TestBed(.status(.serviceUnavailable))
    let session = try bench.session { $0 }
    for _ in 0..<100 {
      _ = await session.request(Self.url).retrier(.backoff(limit: 3)).serializingData().response
      _ = await session.request(Self.url).retrier(.connectionLost()).retrier(.backoff()).serializingData().response
    }
    #expect(bench.mock.requests.count == 200 + 100)
    #expect(session.retryBudget.remaining(for: try HTTPURL(Self.url)) == 0)
    let other = try bench.session { $0.retrier(.backoff(limit: 3)) }
    _ = await other.request(Self.url).serializingData().response
    #expect(bench.mock.requests.count == 300 + 4)
  }

  @Test(arguments: [(200, 99.2), (404, 99.2), (503, 99)])
  func `a response gives a part of a retry back to the session's budget`(status: Int, left: Double) async throws {
    let bench = TestBed(.sequence([.reset, .status(HTTPResponse.Status(code: status))]))
    let session = try bench.session { $0.retrier(.backoff(limit: 1)) }
    _ = await session.request(Self.url).validate().serializingData().response
    #expect(session.retryBudget.remaining(for: try HTTPURL(Self.url)) == left)
  }

  @Test(arguments: [false, true])
  func `a stream that is answered gives its part back once`(isValidated: Bool) async throws {
    let budget = RetryBudget(capacity: 9, refund: 0.5)
    let bench = TestBed(.sequence([.reset, .reset, .status(.notFound)]))
    let session = try bench.session { $0.retrier(.backoff(limit: 1)).retrier(RetryPolicy(limit: 1, budget: budget)) }
    let request = isValidated ? session.streamRequest(Self.url).validate() : session.streamRequest(Self.url)
    let ending = Notes<LupineError.Kind?>()
    request.responseStream { stream in
      if let completion = stream.completion { ending.add(completion.error?.kind) }
    }
    await session.finishRequests()
    #expect(ending.all == [isValidated ? .unacceptableStatusCode(404) : nil])
    #expect(bench.mock.requests.count == 3)
    let url = try HTTPURL(Self.url)
    #expect(session.retryBudget.remaining(for: url) == 99.2)
    #expect(budget.remaining(for: url) == 8.5)
  }

  @Test func `two sessions may share one`() async throws {
    let budget = RetryBudget(capacity: 3)
    let bench = TestBed(.status(.serviceUnavailable))
    for _ in 0..<2 {
      let session = try bench.session { $0.retrier(RetryPolicy(budget: budget)) }
      _ = await session.request(Self.url).serializingData().response
    }
    #expect(bench.mock.requests.count == 2 + 3)
  }

  @Test(arguments: [(Double.nan, 0.2), (-1, 0.2), (0, .nan), (0.9, -1)])
  func `figures that make no sense allow no retry`(capacity: Double, refund: Double) throws {
    let budget = RetryBudget(capacity: capacity, refund: refund)
    #expect(!budget.take(for: try HTTPURL(Self.url)))
  }

  @Test func `hosts without recent requests are removed`() {
    var table = RecentTable<Int, Int>(limit: 10)
    for key in 0..<1_000 {
      table[key] = key
      _ = table[0]
    }
    #expect(table[0] == 0)
    #expect(table[500] == nil)
    #expect(table[999] == 999)
  }
}
