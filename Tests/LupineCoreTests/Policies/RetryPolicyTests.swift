import FoundationEssentials
import HTTPTypes
import LupineMock
import Testing

@testable import LupineCore

@Suite struct RetryPolicyTests {
  private static func attempt(
    _ number: Int = 1, method: HTTPRequest.Method = .get, status: Int? = nil, error: LupineError.Kind? = nil,
    random: Double = 1
  ) throws -> FailedAttempt {
    FailedAttempt(
      request: try OutgoingRequest(Bench.url, method: method), number: number,
      response: status.map { HTTPResponse(status: .init(code: $0)) }, error: error.map { LupineError($0, "") },
      random: { random })
  }

  private static func delay(_ policy: RetryPolicy, _ attempt: FailedAttempt) async -> Duration? {
    if case .retryAfter(let delay) = await policy.decision(for: attempt) { delay } else { nil }
  }

  @Test(arguments: [
    (408, true), (425, true), (429, true), (500, true), (502, true), (503, true), (504, true), (400, false),
    (401, false), (404, false), (409, false), (501, false), (505, false),
  ])
  func `the statuses that say later are retried`(status: Int, isRetried: Bool) async throws {
    let attempt = try Self.attempt(status: status, error: .unacceptableStatusCode(status))
    #expect((await Self.delay(RetryPolicy(), attempt) != nil) == isRetried)
  }

  @Test(arguments: [
    (LupineError.Kind.hostNotFound, true), (.connectionRefused, true), (.networkUnreachable, true),
    (.connectionFailed, true), (.connectionLost, true), (.timedOut(.connect), true), (.timedOut(.idle), true),
    (.timedOut(.total), false), (.cancelled, false), (.tlsFailed, false), (.certificateRejected, false),
    (.malformedResponse, false), (.invalidURL, false), (.limitExceeded(.responseBody), false), (.bodyFailed, false),
    (.sessionShutDown, false), (.redirectFailed, false),
  ])
  func `the errors of the network are retried`(kind: LupineError.Kind, isRetried: Bool) async throws {
    #expect((await Self.delay(RetryPolicy(), try Self.attempt(error: kind)) != nil) == isRetried)
  }

  @Test(arguments: [
    (HTTPRequest.Method.get, true), (.head, true), (.put, true), (.delete, true), (.options, true), (.trace, true),
    (.post, false), (.patch, false),
  ])
  func `idempotent methods are retried`(method: HTTPRequest.Method, isRetried: Bool) async throws {
    let attempt = try Self.attempt(method: method, error: .connectionLost)
    #expect((await Self.delay(RetryPolicy(), attempt) != nil) == isRetried)
  }

  @Test func `the delays double up to the limit of retries`() async throws {
    var delays: [Duration?] = []
    for number in 1...4 {
      delays.append(await Self.delay(RetryPolicy(limit: 3), try Self.attempt(number, status: 503)))
    }
    #expect(delays == [.seconds(0.5), .seconds(1), .seconds(2), nil])
  }

  @Test func `jitter takes away up to half`() async throws {
    #expect(await Self.delay(RetryPolicy(), try Self.attempt(status: 503, random: 0)) == .seconds(0.25))
  }

  @Test(arguments: [
    (2.0, 1.0, Duration.seconds(60), 100, Duration.seconds(60)), (10, 1, .milliseconds(300), 1, .milliseconds(300)),
    (2, 0.5, .seconds(5), 50, .seconds(5)), (0, 1, .seconds(60), 2, .zero), (-3, 1, .seconds(60), 2, .zero),
    (.nan, 1, .seconds(9), 2, .seconds(9)), (.infinity, 1, .seconds(9), 2, .seconds(9)),
    (2, .infinity, .seconds(9), 1, .seconds(9)), (2, -1, .seconds(9), 1, .zero), (2, 1, .zero, 1, .zero),
  ])
  func `no figures of a caller lead out of the cap`(
    base: Double, scale: Double, cap: Duration, number: Int, expected: Duration
  ) async throws {
    let policy = RetryPolicy(limit: .max, base: base, scale: scale, cap: cap)
    #expect(await Self.delay(policy, try Self.attempt(number, status: 503)) == expected)
  }
}
