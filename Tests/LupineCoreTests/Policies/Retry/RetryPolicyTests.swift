import FoundationEssentials
import HTTPTypes
import LupineMock
import Testing

@testable import LupineCore
@testable import LupineSession

@Suite struct RetryPolicyTests {
  private static func attempt(
    _ number: Int = 1, method: HTTPRequest.Method = .get, status: Int? = nil, error: LupineError.Kind? = nil,
    random: Double = 1, fields: HTTPFields = [:], headers: HTTPFields = [:], notes: Notes<String>? = nil
  ) throws -> AttemptOutcome {
    AttemptOutcome(
      request: try OutgoingRequest(TestBed.url, method: method, headers: headers), number: number,
      response: status.map { HTTPResponse(status: .init(code: $0), headerFields: fields) },
      error: error.map { LupineError($0, "") }, date: noon, random: { random }, note: { notes?.add($0) })
  }

  /// Sun, 06 Nov 1994 12:00:00 GMT.
  private static let noon = Date(timeIntervalSince1970: 784_123_200)

  private static func delay(_ policy: RetryPolicy, _ attempt: AttemptOutcome) async -> Duration? {
    if case .retryAfter(let delay) = await policy.decision(for: attempt) { delay } else { nil }
  }

  @Test(arguments: [
    (408, true), (425, true), (429, true), (500, true), (502, true), (503, true), (504, true), (529, true),
    (400, false),
    (401, false), (404, false), (409, false), (501, false), (505, false),
  ])
  func `the statuses of temporary failures are retried`(status: Int, isRetried: Bool) async throws {
    let attempt = try Self.attempt(status: status, error: .unacceptableStatusCode(status))
    #expect((await Self.delay(RetryPolicy(), attempt) != nil) == isRetried)
  }

  @Test(arguments: [
    (LupineError.Kind.hostNotFound, true), (.connectionRefused, true), (.networkUnreachable, true),
    (.connectionFailed, true), (.connectionLost, true), (.timedOut(.connect), true), (.timedOut(.idle), true),
    (.timedOut(.attempt), true),
    (.contentDecodingFailed, true), (.tlsFailed, true), (.timedOut(.total), false), (.cancelled, false),
    (.certificateRejected, false),
    (.malformedResponse, false), (.invalidURL, false), (.limitExceeded(.responseBody), false), (.bodyFailed, false),
    (.sessionShutDown, false), (.redirectFailed, false), (.configuration([]), false),
  ])
  func `the errors of the network are retried`(kind: LupineError.Kind, isRetried: Bool) async throws {
    #expect((await Self.delay(RetryPolicy(), try Self.attempt(error: kind)) != nil) == isRetried)
  }

  @Test(arguments: [
    (HTTPRequest.Method.get, true), (.head, true), (.put, true), (.delete, true), (.options, true), (.trace, true),
    (.query, true), (.post, false), (.patch, false),
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

  @Test func `the attempts that others asked for neither count nor lengthen the delay`() async throws {
    var attempt = try Self.attempt(9, status: 503)
    attempt.retries = 1
    #expect(await Self.delay(RetryPolicy(), attempt) == .seconds(1))
    attempt.retries = 2
    #expect(await Self.delay(RetryPolicy(), attempt) == nil)
  }

  @Test(arguments: [
    (1.0, 0.0, Duration.zero), (1, 0.25, .milliseconds(125)), (1, 1, .milliseconds(500)), (0, 0, .milliseconds(500)),
    (0.5, 0, .milliseconds(250)), (-3, 0, .milliseconds(500)), (9, 0, .zero), (.nan, 0, .zero),
  ])
  func `by default the whole delay is random`(
    jitter: Double, random: Double, expected: Duration
  ) async throws {
    let policy = RetryPolicy(jitter: jitter)
    #expect(await Self.delay(policy, try Self.attempt(status: 503, random: random)) == expected)
  }

  @Test(arguments: [
    ("2", Duration.seconds(2)), ("0", .milliseconds(500)), ("60", .seconds(60)),
    ("Sun, 06 Nov 1994 12:00:30 GMT", .seconds(30)), ("Sunday, 06-Nov-94 12:00:30 GMT", .seconds(30)),
    ("Sun Nov  6 12:00:30 1994", .seconds(30)), ("Sun, 06 Nov 1994 11:00:00 GMT", .milliseconds(500)),
    ("-1", .milliseconds(500)), ("1.5", .seconds(2)), ("2.0", .seconds(2)),
    ("0.001", .seconds(1)), ("1.", .milliseconds(500)), (".5", .milliseconds(500)), ("1.5.5", .milliseconds(500)),
    ("1,5", .milliseconds(500)), ("soon", .milliseconds(500)), ("", .milliseconds(500)),
    ("2 s", .milliseconds(500)), ("Sun, 31 Feb 1994 12:00:30 GMT", .milliseconds(500)), ("+3", .milliseconds(500)),
  ])
  func `Retry-After is respected in both forms, and a malformed or past value is ignored`(
    value: String, expected: Duration
  ) async throws {
    let attempt = try Self.attempt(status: 503, fields: [.retryAfter: value])
    #expect(await Self.delay(RetryPolicy(), attempt) == expected)
  }

  @Test(arguments: [
    "61", "60.5", "99999999999999999999999999.5", "99999999999999999999999999", "9223372036854775807",
    "Fri, 31 Dec 9999 23:59:59 GMT",
  ])
  func `a server that asks for more than the cap gets no retry`(value: String) async throws {
    let notes = Notes<String>()
    let attempt = try Self.attempt(status: 429, fields: [.retryAfter: value], notes: notes)
    #expect(await Self.delay(RetryPolicy(), attempt) == nil)
    #expect(notes.all == ["the server asks to wait for longer than 60000.00 ms"])
    #expect(
      await Self.delay(RetryPolicy(retryAfterCap: .seconds(61)), attempt) == (value.hasPrefix("6") ? .seconds(61) : nil)
    )
  }

  @Test func `a request with an Idempotency-Key is retried whatever its method`() async throws {
    let attempt = try Self.attempt(method: .post, status: 503, headers: [.idempotencyKey: "\"k\""])
    #expect(await Self.delay(RetryPolicy(), attempt) != nil)
  }

  @Test func `why nothing is retried is noted`() async throws {
    let notes = Notes<String>()
    _ = await Self.delay(RetryPolicy(), try Self.attempt(3, status: 503, notes: notes))
    _ = await Self.delay(RetryPolicy(), try Self.attempt(method: .patch, status: 503, notes: notes))
    _ = await Self.delay(
      RetryPolicy(budget: RetryBudget(capacity: 0)), try Self.attempt(status: 503, notes: notes))
    #expect(
      notes.all == [
        "the limit of 2 retries is reached", "PATCH is not idempotent",
        "the budget of retries for https://api.example.com is spent",
      ])
  }

  @Test func `methods, statuses and errors can be others`() async throws {
    let policy = RetryPolicy(methods: [.post], statusCodes: [409], errors: [.malformedResponse])
    #expect(await Self.delay(policy, try Self.attempt(method: .post, status: 409)) != nil)
    #expect(await Self.delay(policy, try Self.attempt(method: .post, error: .malformedResponse)) != nil)
    #expect(await Self.delay(policy, try Self.attempt(method: .post, status: 503)) == nil)
    #expect(await Self.delay(policy, try Self.attempt(error: .malformedResponse)) == nil)
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
