import LupineSupport
import Testing

@testable import LupineCore

/// The work of queues with 1,000 and with 10,000 waiting exchanges or timers, in steps.
@Suite struct QueueStepTests {
  /// The way in which the waiting exchanges of a limiter end.
  enum Load: CaseIterable {
    case cancelled, cancelledFromTheEnd, cancelledAtManyHosts, started, startedAtManyHosts, startedWithManyPriorities

    var hasManyHosts: Bool { self == .cancelledAtManyHosts || self == .startedAtManyHosts }
    var isCancelled: Bool { self == .cancelled || self == .cancelledFromTheEnd || self == .cancelledAtManyHosts }
  }

  private func steps(_ load: Load, _ count: UInt64) async throws -> Int {
    let limiter = ConnectionLimiter(perHost: 1, total: 1)
    let first = limiter.host(of: try HTTPURL("http://first/"))
    #expect(limiter.enter(QueuedExchange(0), at: first))
    let urls = try (0...count).map { try HTTPURL("http://host\($0)/") }
    return await StepCount.count {
      var hosts = [first]
      for id in 1...count {
        hosts.append(load.hasManyHosts ? limiter.host(of: urls[Int(id)]) : first)
        let isPrior = load == .startedWithManyPriorities && id % 2 == 0
        _ = limiter.enter(QueuedExchange(id, priority: isPrior ? .high : .normal), at: hosts[Int(id)])
      }
      if load.isCancelled {
        for number in 1...count {
          let id = load == .cancelledFromTheEnd ? count + 1 - number : number
          limiter.leave(id, from: hosts[Int(id)])
        }
      } else {
        var running: UInt64 = 0
        for _ in 1...count {
          limiter.leave(running, from: running == 0 ? first : hosts[Int(running)])
          running = limiter.next() ?? 0
        }
      }
      #expect(limiter.waitingCount == 0)
      #expect(limiter.next() == nil)
    }
  }

  /// Ten times as many exchanges need at most 13.4 times as many steps, if each needs logarithmic work.
  private func expectGrowth(_ small: Int, _ large: Int) {
    #expect(small >= 1_000)
    #expect(large <= 15 * small)
  }

  @Test(arguments: Load.allCases)
  func `the limit on connections takes logarithmic work for each waiting exchange`(load: Load) async throws {
    expectGrowth(try await steps(load, 1_000), try await steps(load, 10_000))
  }

  @Test(arguments: [false, true])
  func `a timer takes logarithmic work`(isCancelled: Bool) async {
    func steps(_ count: Int) async -> Int {
      await StepCount.count {
        let queue = DeadlineQueue()
        // In an order that is neither rising nor falling.
        let numbers = (0..<count).map { queue.add(.seconds($0 * 7_919 % count)) {}.number }
        if isCancelled { for number in numbers { queue.remove(number) } }
        while let action = queue.takeOverdue(.seconds(count)) { action() }
        #expect(queue.count == 0)
      }
    }
    expectGrowth(await steps(1_000), await steps(10_000))
  }
}
