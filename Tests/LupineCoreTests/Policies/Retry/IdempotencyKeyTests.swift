import HTTPTypes
import LupineMock
import Testing

@testable import LupineCore
@testable import LupineSession

@Suite struct IdempotencyKeyTests {
  private static let failures = MockReply.sequence([.status(.serviceUnavailable), .reset, .text("made")])

  @Test func `a session gives each POST a key of its own, the same on every attempt`() async throws {
    let bench = TestBed(Self.failures)
    let session = try bench.session { $0.retrier(.backoff(limit: 3)).idempotencyKeys() }
    let response = await session.request(TestBed.url, method: .post).validate().serializingString().response
    #expect(response.value == "made")
    let keys = bench.mock.requests.map { $0.headers[.idempotencyKey] }
    #expect(keys.count == 3)
    #expect(Set(keys).count == 1)
    _ = await session.request(TestBed.url, method: .post).serializingData().response
    #expect(bench.mock.requests.last?.headers[.idempotencyKey] != keys.first)
    _ = await session.request(TestBed.url).serializingData().response
    #expect(bench.mock.requests.last?.headers[.idempotencyKey] == nil)
  }

  @Test func `a request can ask for one, or bring its own`() async throws {
    let bench = TestBed(Self.failures)
    let session = try bench.session { $0.retrier(.backoff(limit: 3)) }
    let response = await session.request(TestBed.url, method: .patch).idempotencyKey("mine").serializingString()
      .response
    #expect(response.value == "made")
    #expect(bench.mock.requests.map { $0.headers[.idempotencyKey] } == ["mine", "mine", "mine"])
    _ = await session.request(TestBed.url, method: .post).idempotencyKey().serializingData().response
    #expect(bench.mock.requests.last?.headers[.idempotencyKey] != nil)
  }

  @Test(arguments: [
    (UInt64(0), "\"00000000-0000-4000-8000-000000000000\""), (.max, "\"ffffffff-ffff-4fff-bfff-ffffffffffff\""),
  ])
  func `a key is a UUID of version 4 in quotes`(bits: UInt64, key: String) {
    #expect(IdempotencyKey.make { bits } == key)
  }

  @Test func `the key is removed if a redirect changes the request to a GET`() async throws {
    let bench = TestBed { mock in
      mock.stub(.post, "/orders", .redirect(to: "/receipt", status: .seeOther))
      mock.stub(.get, "/receipt", .text("ok"))
    }
    let session = try bench.session { $0.idempotencyKeys() }
    _ = await session.request("https://a.example.com/orders", method: .post).serializingData().response
    #expect(bench.mock.requests.map { $0.headers[.idempotencyKey] != nil } == [true, false])
  }
}
