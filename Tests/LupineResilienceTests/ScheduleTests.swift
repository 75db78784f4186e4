import HTTPTypes
import LupineCore
import LupineSession
import LupineFixtures
import LupineMock
import LupineResilience
import Synchronization
import Testing

/// All policies together in a thousand schedules of failures, delays, cancellations, refreshes, redirects and retries.
@Suite struct ScheduleTests {
  @Test func `in a thousand schedules each request ends once, no budget is exceeded and nothing is left`() async throws
  {
    let incidents = Incidents()
    // Simulations are independent, so that several processors can run them.
    let seeds = try await withThrowingTaskGroup(of: Int.self) { group in
      for part in 0..<8 as Range<UInt64> {
        let first = Seeds.first &+ part * 125
        let seeds = first..<first &+ 125
        group.addTask {
          try await Simulation.explore(seeds: seeds, mix: .withCancellations) { try await Self.run($0, incidents) }
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(seeds == 1_000)
    for incident in Incidents.Kind.allCases { #expect(incidents.count(of: incident) > 0, "no \(incident) in any seed") }
  }

  /// The capacity of the budgets; some budgets and windows are exhausted, because the requests need more.
  private static let capacity = 2.0
  private static let refund = 0.1
  private static let window = RefreshWindow(interval: .seconds(5), maximumAttempts: 2)
  private static let requests = 5
  private static let redirects = 3

  private static func run(_ world: Simulation, _ incidents: Incidents) async throws {
    let schedule = try Schedule(world)
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<requests { group.addTask { await schedule.make(number) } }
    }
    await schedule.session.finishRequests()
    // Exchanges that lost to a hedge are already cancelled, and end during this time.
    try await world.sleep(for: .seconds(60))
    try schedule.checkEndings()
    try schedule.checkBudgets()
    try schedule.checkRest()
    schedule.report(incidents)
  }

  /// A program whose session has every policy, and the requests of this program.
  private final class Schedule: Sendable {
    let world: Simulation
    let session: Session
    private let service: ScheduledService
    private let transport: CountingTransport
    private let endings = Endings()
    private let retrier: CountingRetrier
    private let limiter = ConcurrencyLimiter(limit: 3, queueLimit: 20)
    private let outcomes = Mutex<[Int: [LupineError.Kind?]]>([:])
    private let handled = Mutex<[Int: Int]>([:])

    init(_ world: Simulation) throws {
      self.world = world
      let mock = MockTransport(keepsLog: false)
      service = ScheduledService(world)
      service.stub(mock)
      transport = CountingTransport(mock, now: { world.clock.now.offset })
      retrier = CountingRetrier(
        RetryPolicy(limit: 2, budget: RetryBudget(capacity: ScheduleTests.capacity, refund: ScheduleTests.refund)))
      // A limit below the default, because more rounds of a redirect loop test nothing new.
      var limits = Limits()
      limits.redirects = ScheduleTests.redirects
      var hedging = Hedging(delay: .milliseconds(700), limit: 1)
      hedging.budget = RetryBudget(capacity: ScheduleTests.capacity, refund: ScheduleTests.refund)
      session = try Session.Builder().transport(transport).baseURL("https://a.example.com").monitor(endings)
        .install(
          AuthenticationInterceptor(
            service, credential: ScheduledToken(number: 0), refreshWindow: ScheduleTests.window)
        ).retrier(retrier)
        .timeouts(idle: .seconds(3), total: .seconds(20), attempt: .seconds(6)).limits(limits)
        .install(hedging).install(limiter)
        .install(RateLimiter(8, per: .seconds(1), maximumWait: .seconds(5)))
        .install(.circuitBreaker { $0.minimumThroughput = 8 }).build()
    }

    /// Makes one request of a random kind at a random time; the seed determines both.
    func make(_ number: Int) async {
      let draw = world.random()
      try? await world.sleep(for: .milliseconds(Int64(draw >> 8 % 2_000)))
      let paths = ["item", "item", "order", "order", "away", "near", "circle", "item"]
      let path = paths[Int(draw % 8)]
      var request = session.request("\(path)/\(number)", method: path == "order" ? .post : .get)
      if draw & 16 == 0, path == "order" { request = request.idempotencyKey() }
      if draw & 32 == 0 { request = request.validate() }
      if draw & 64 == 0 {
        request.response { [self] _ in handled.withLock { $0[number, default: 0] += 1 } }
      } else {
        handled.withLock { $0[number, default: 0] += 1 }
      }
      let response = await request.serializingData().response
      let error = response.response?.status == .teapot ? .other : response.error?.kind
      outcomes.withLock { $0[number, default: []].append(error) }
    }

    func checkEndings() throws {
      let (outcomes, handled) = (outcomes.withLock { $0 }, handled.withLock { $0 })
      try world.expect(outcomes.count == ScheduleTests.requests, "\(outcomes.count) requests ended")
      try world.expect(outcomes.values.allSatisfy { $0.count == 1 }, "one was answered twice: \(outcomes)")
      try world.expect(handled.values.allSatisfy { $0 == 1 } && handled.count == outcomes.count, "handlers: \(handled)")
      for (id, course) in endings.all {
        try world.expect(course.ends.count == 1, "\(id) ended \(course.ends.count) times")
        try world.expect(
          course.ends[0] - course.started <= .seconds(20), "\(id) took \(course.ends[0] - course.started)")
      }
      let unexpected = outcomes.values.flatMap(\.self).compactMap(\.self).filter { !ScheduleTests.expected($0) }
      try world.expect(unexpected.isEmpty, "\(unexpected)")
    }

    func checkBudgets() throws {
      // All requests start with the same origin, and each receives at most one response that refills the budget.
      try checkBudget(of: "retries", retrier.count, answers: ScheduleTests.requests)
      for (origin, hedges) in endings.hedges {
        try checkBudget(of: "hedges to \(origin)", hedges, answers: endings.exchanges[origin] ?? 0)
      }
      for (origin, count) in transport.all {
        try world.expect(count.most <= 3, "\(count.most) exchanges with \(origin) at once")
        for index in count.starts.indices.dropLast(8) {
          let distance = count.starts[index + 8] - count.starts[index]
          try world.expect(distance >= .seconds(1), "9 exchanges with \(origin) in \(distance)")
        }
      }
      let refreshes = service.refreshes
      let (interval, most) = (ScheduleTests.window.interval, ScheduleTests.window.maximumAttempts)
      for index in refreshes.indices.dropLast(most) {
        try world.expect(refreshes[index + most] - refreshes[index] >= interval, "refreshed at \(refreshes)")
      }
      try world.expect(service.orders.values.allSatisfy { $0 == 1 }, "an order was taken twice: \(service.orders)")
    }

    private func checkBudget(of name: String, _ count: Int, answers: Int) throws {
      let budget = ScheduleTests.capacity + ScheduleTests.refund * Double(answers)
      try world.expect(Double(count) <= budget, "\(count) \(name), and \(budget) were allowed")
    }

    /// Adds the incidents of this simulation.
    func report(_ incidents: Incidents) {
      let errors = outcomes.withLock { $0.values.flatMap(\.self) }
      incidents.add(retrier.count, of: .retry)
      incidents.add(retrier.refusals, of: .spentRetries)
      incidents.add(endings.hedges.values.reduce(0, +), of: .hedge)
      incidents.add(endings.spentHedges, of: .spentHedges)
      incidents.add(endings.redirects, of: .redirect)
      incidents.add(service.refreshes.count, of: .refresh)
      incidents.add(errors.count { $0 == .refreshFailed }, of: .failedRefresh)
      incidents.add(errors.count { $0 == .excessiveRefresh }, of: .excessiveRefresh)
      incidents.add(errors.count { $0 == .circuitOpen }, of: .openCircuit)
      incidents.add(errors.count { $0 == .cancelled }, of: .cancellation)
    }

    func checkRest() throws {
      try world.expect(transport.running == 0, "\(transport.running) exchanges are left")
      for origin in transport.all.keys {
        let load = limiter.load(of: try HTTPURL(origin.description))
        try world.expect(load == (0, 0), "\(load) are left in the line of \(origin)")
      }
      let running = session.withAllRequests { $0.map(\.description) }
      try world.expect(running.isEmpty, "\(running) are left")
    }
  }

  /// Whether the faults, the service or the policies can cause the error.
  ///
  /// The error for a token that is sent to another origin is not among them.
  private static func expected(_ kind: LupineError.Kind) -> Bool {
    switch kind {
    case .unacceptableStatusCode(let status): [401, 429, 503].contains(status)
    case .hostNotFound, .connectionRefused, .networkUnreachable, .tlsFailed, .connectionLost, .connectionFailed,
      .malformedResponse, .cancelled, .timedOut, .limitExceeded(.redirects), .refreshFailed, .excessiveRefresh,
      .circuitOpen, .rateLimited, .emptyResponse:
      true
    default: false
    }
  }
}
