import HTTPTypes
import LupineMock
@testable import LupineSession
import Testing

@testable import LupineCore

@Suite struct ConnectionLostRetryPolicyTests {
  @Test(arguments: [
    (HTTPRequest.Method.get, NetworkFault.resetBeforeHead, 3), (.delete, .resetBeforeHead, 3),
    (.post, .resetBeforeHead, 1), (.get, .connectionRefused, 1),
  ])
  func `a lost connection is retried, for what may be repeated`(
    method: HTTPRequest.Method, fault: NetworkFault, attempts: Int
  ) async throws {
    let bench = TestBed(.fault(fault))
    let session = try bench.session { $0.retrier(.connectionLost()) }
    _ = await session.request(TestBed.url, method: method).serializingData().response
    #expect(bench.log.names.count { $0 == "attempting" } == attempts)
  }

  @Test func `it retries no status`() async throws {
    let bench = TestBed(.status(.serviceUnavailable))
    let session = try bench.session { $0.retrier(.connectionLost(limit: 5)) }
    _ = await session.request(TestBed.url).serializingData().response
    #expect(bench.mock.requests.count == 1)
  }
}
