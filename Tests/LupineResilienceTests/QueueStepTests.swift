import LupineCore
import LupineSupport
import Testing

@testable import LupineResilience

/// The work of the limiters with 1,000 and with 10,000 waiting exchanges, in steps.
@Suite struct QueueStepTests {
  private static let url = "http://a.example.com/"

  private func expectGrowth(_ small: Int, _ large: Int) {
    #expect(small >= 1_000)
    #expect(large <= 15 * small)
  }

  /// Lets exchanges wait for one that runs, and cancels them all.
  private func steps(_ count: Int) async throws -> Int {
    let url = try HTTPURL(Self.url)
    let limiter = ConcurrencyLimiter(limit: 1, queueLimit: count)
    func context(_ control: ExchangeControl) -> TransferContext {
      TransferContext(id: RequestID(1), control: control, sink: { _ in .discard(limit: 0) })
    }
    let queue = limiter.queue(of: OutgoingRequest(url: url))
    #expect(limiter.takePlace(in: queue))
    return await StepCount.count {
      let controls = (0..<count).map { _ in ExchangeControl() }
      await withTaskGroup(of: Void.self) { group in
        for control in controls {
          group.addTask { try? await limiter.wait(in: queue, context(control)) }
        }
        while limiter.load(of: url).waiting < count { await Task.yield() }
        for control in controls { control.cancel(LupineError(.cancelled, "The test has seen enough.")) }
      }
      #expect(limiter.load(of: url) == (1, 0))
      limiter.leave(queue)
      #expect(limiter.load(of: url) == (0, 0))
    }
  }

  @Test func `a cancelled exchange leaves the queue of the concurrency limiter in constant work`() async throws {
    expectGrowth(try await steps(1_000), try await steps(10_000))
  }

  @Test func `a turn of the rate limiter is reserved in constant work`() async {
    func steps(_ count: Int) async -> Int {
      await StepCount.count {
        var turns = RateLimiter.Turns()
        for number in 0..<(2 * count) {
          let now = Duration.milliseconds(Int64(number))
          _ = turns.reserve(count, per: .milliseconds(Int64(count)), now: now, latest: .seconds(1_000_000))
        }
      }
    }
    expectGrowth(await steps(1_000), await steps(10_000))
  }
}
