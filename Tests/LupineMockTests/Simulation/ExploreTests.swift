import HTTPTypes
import LupineCore
import LupineSession
import LupineMock
import Synchronization
import Testing

@Suite struct ExploreTests {
  /// A program with a defect: if the deposit fails, it does not undo the withdrawal.
  private static func transfer(_ world: Simulation) async throws {
    let total = Mutex(0)
    let mock = MockTransport()
    mock.stub(.post, "/withdraw") { _ in
      total.withLock { $0 -= 1 }
      return .text("done")
    }
    mock.stub(.post, "/deposit") { _ in
      total.withLock { $0 += 1 }
      return .text("done")
    }
    let session = try Session.Builder().transport(mock).build()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<5 {
        group.addTask {
          let out = await session.request("https://example.com/withdraw", method: .post).serializingData().response
          guard out.error == nil else { return }
          _ = await session.request("https://example.com/deposit", method: .post).serializingData().response
        }
      }
    }
    try world.expect(total.withLock { $0 } == 0, "The books are off by \(total.withLock { $0 }).")
  }

  @Test func `a failing seed is found and shrunk until no fault can be left out`() async throws {
    let failure = await #expect(throws: SimulationFailure.self) {
      try await Simulation.explore(seeds: 0..<200, Self.transfer)
    }
    let found = try #require(failure)
    #expect(!found.faults.isEmpty)
    for index in found.faults.indices {
      var fewer = found.faults
      fewer.remove(at: index)
      try await withSimulation(seed: found.seed, faults: fewer) { world in try await Self.transfer(world) }
    }
    #expect(found.allFaults.count > found.faults.count)
    #expect(found.description.contains("under seed \(found.seed)"))
    #expect(found.description.contains("withSimulation(seed: \(found.seed), faults: [.init(exchange: "))
  }

  @Test func `a failing seed replays exactly, whole and shrunk`() async throws {
    let failure = await #expect(throws: SimulationFailure.self) {
      try await Simulation.explore(seeds: 0..<200, Self.transfer)
    }
    let found = try #require(failure)
    let again = await #expect(throws: SimulationFailure.self) {
      try await Simulation.explore(seeds: [found.seed], Self.transfer)
    }
    #expect(again?.allFaults == found.allFaults)
    #expect(again?.faults == found.faults)
    let error = await #expect(throws: LupineError.self) {
      try await withSimulation(seed: found.seed, faults: found.faults) { world in try await Self.transfer(world) }
    }
    #expect("\(found.failure)" == error?.description)
  }

  @Test func `a program that copes passes every seed`() async throws {
    let count = try await Simulation.explore(seeds: 0..<100, mix: .withCancellations) { world in
      let mock = MockTransport()
      mock.stub(.get, "/{id}", count: .optional, .text("fine"))
      let session = try Session.Builder().transport(mock).retrier(.backoff(limit: 2)).build()
      await withTaskGroup(of: Void.self) { group in
        for id in 0..<10 {
          group.addTask { _ = await session.request("https://example.com/\(id)").serializingString().response }
        }
      }
    }
    #expect(count == 100)
  }

  @Test func `cancellations are injected as a program's own`() async throws {
    let error = try await withSimulation(faults: [.init(exchange: 1, .cancel(after: .milliseconds(5)))]) {
      let mock = MockTransport()
      mock.stub(.get, "/", .text("late").delay(.seconds(1)))
      let session = try Session.Builder().transport(mock).retrier(.backoff(limit: 2)).build()
      return await session.request("https://example.com/").serializingData().response.error
    }
    #expect(error?.kind == .cancelled)
  }

  @Test func `a fault before the connection reaches no stub`() async throws {
    let (kind, arrived) = try await withSimulation(faults: [.init(exchange: 1, .fault(.connectionRefused))]) {
      let mock = MockTransport()
      mock.stub(.get, "/", .status(.ok))
      let session = try Session.Builder().transport(mock).build()
      let response = await session.request("https://example.com/").serializingData().response
      return (response.error?.kind, mock.requests.count)
    }
    #expect(kind == .connectionRefused)
    #expect(arrived == 0)
  }

  @Test(arguments: [0, 3, 100]) func `a reset in a request's body leaves the stub the bytes before it`(count: Int)
    async throws
  {
    let (kinds, bodies) = try await withSimulation(
      faults: [1, 2].map { .init(exchange: $0, .fault(.resetInRequest(afterBytes: count))) }
    ) {
      let mock = MockTransport()
      mock.stub(.post, "/plain") { _ in .text("ok") }
      mock.stub(.post, "/condition", where: [.body("hello")], .text("ok"))
      let session = try Session.Builder().transport(mock).build()
      var kinds: [LupineError.Kind?] = []
      for path in ["plain", "condition", "condition"] {
        let request = try OutgoingRequest("https://example.com/\(path)", method: .post, body: .text("hello"))
        kinds.append(await session.request(request).serializingData().response.error?.kind)
      }
      return (kinds, mock.requests.map { String(decoding: $0.body, as: UTF8.self) })
    }
    #expect(kinds == [.connectionLost, .connectionLost, nil])
    let cut = String("hello".prefix(count))
    // The stub with a condition takes the request only if its body has arrived.
    #expect(bodies == (count < 5 ? [cut, "hello"] : ["hello", "hello", "hello"]))
  }

  @Test func `an order of events alone can fail`() async throws {
    let failure = await #expect(throws: SimulationFailure.self) {
      try await Simulation.explore(seeds: 0..<100) { world in
        let order = await withTaskGroup(of: Int.self) { group in
          for number in 0..<3 { group.addTask { number } }
          return await group.reduce(into: [Int]()) { $0.append($1) }
        }
        try world.expect(order != [2, 1, 0], "the last came first")
      }
    }
    #expect(failure?.faults == [])
    #expect(failure?.description.contains("the order of events") == true)
  }
}
