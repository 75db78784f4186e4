import HTTPTypes
import LupineCache
import LupineCore
import LupineFoundation
import LupineMock
import LupineSession
import Testing

/// Lifetimes that the caller sets, and retries of responses that are stored.
@Suite(.timeLimit(.minutes(1))) struct OwnLifetimeTests {
  /// Retries 503 at once, three times.
  private struct Persistent: Retrier {
    func decision(for attempt: AttemptOutcome) async -> RetryDecision {
      attempt.response?.status == .serviceUnavailable && attempt.retries < 3 ? .retry : .doNotRetry
    }
  }

  private static func get(
    _ bench: CacheBench, _ lifetime: Duration = .seconds(60), including errors: Set<StorableError> = []
  ) async -> Answer {
    let request = bench.session.request(CacheBench.url).cache(for: lifetime, including: errors)
    let answer = Answer(await request.serializingString().response)
    await bench.session.finishBackgroundTasks()
    return answer
  }

  @Test(
    arguments: [
      (200, true), (203, true), (204, true), (300, true), (301, true), (308, true), (201, false), (202, false),
      (302, false), (307, false), (400, false), (401, false), (403, false), (404, false), (410, false), (429, false),
      (500, false), (502, false), (503, false), (504, false),
    ])
  func `a lifetime of the caller stores successes and permanent redirects alone`(
    status: Int, isStored: Bool
  ) async throws {
    let bench = try CacheBench { $0.redirector(.doNotFollow) }
    bench.stub(.status(.init(code: status)), .status(.init(code: status)))
    #expect(await Self.get(bench).code == status)
    #expect(await Self.get(bench).code == status)
    #expect(bench.mock.requests.count == (isStored ? 1 : 2))
  }

  @Test(arguments: StorableError.allCases)
  func `404 and 410 are stored where they are named`(error: StorableError) async throws {
    let bench = try CacheBench()
    bench.stub(.status(.init(code: error.rawValue)), .text("new"))
    _ = await Self.get(bench, including: [error])
    #expect(await Self.get(bench, including: [error]).status == "hit; ttl=60")
    #expect(await Self.get(bench).text == "new")
  }

  @Test func `a lifetime of the caller does not prolong an error that the server permits to store`() async throws {
    let bench = try CacheBench()
    bench.stub(.status(.serviceUnavailable).field(.cacheControl, "max-age=5"), .text("new"))
    #expect(await Self.get(bench).code == 503)
    #expect(await Self.get(bench).code == 503)
    await bench.advance(by: .seconds(6))
    #expect(await Self.get(bench).text == "new")
  }

  @Test(arguments: [401, 407, 425, 428, 429, 431, 511])
  func `a response that is for its request alone is not stored, whatever it says`(status: Int) async throws {
    let bench = try CacheBench()
    bench.stub(.status(.init(code: status)).field(.cacheControl, "public, max-age=60"), .text("new"))
    #expect(await bench.get().code == status)
    await bench.session.finishBackgroundTasks()
    #expect(await bench.get().text == "new")
  }

  @Test(arguments: [false, true])
  func `a retry is not answered by the response that it retries`(isStoredBefore: Bool) async throws {
    let bench = try CacheBench { $0.retrier(Persistent()) }
    let failure = MockReply.status(.serviceUnavailable).field(.cacheControl, "public, max-age=60, stale-if-error=60")
    if isStoredBefore {
      bench.stub(failure, .text("new"))
      let other = try bench.another()
      _ = await other.request(CacheBench.url).serializingString().response
      await other.shutdown()
    } else {
      bench.stub(failure, failure, .text("new"))
    }
    let answer = Answer(await bench.session.request(CacheBench.url).serializingString().response)
    #expect(answer.text == "new")
    #expect(answer.code == 200)
  }

  @Test(arguments: [Duration.seconds(Int64.max), .seconds(Int64.max) * 8, .seconds(-1), .zero, .nanoseconds(1)])
  func `every lifetime is accepted`(lifetime: Duration) async throws {
    let bench = try CacheBench()
    bench.stub(.text("one"), .text("two"))
    #expect(await Self.get(bench, lifetime).text == "one")
    let second = await Self.get(bench, lifetime)
    #expect(second.text == (lifetime > .zero ? "one" : "two"))
  }
}
