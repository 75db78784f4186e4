import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineSession
import LupineMock
import Synchronization
import Testing

@Suite struct WithSimulationTests {
  /// Records the events of a session, one line each.
  private final class Record: EventMonitor {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func receive(_ event: SessionEvent) {
      lines.withLock { $0.append("\(event.time) \(event.request) \(event.attempt) \(event.kind)") }
    }
  }

  /// Lines that several tasks append.
  private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func add(_ line: String) { lines.withLock { $0.append(line) } }
  }

  /// The events of 50 concurrent requests with latency, faults and retries.
  private func events(seed: UInt64) async throws -> [String] {
    try await withSimulation(seed: seed) {
      let mock = MockTransport()
      mock.stub(
        .get, "/{id}",
        .sequence(
          [
            .text("a").latency(.uniform(.milliseconds(1)...(.seconds(1)))), .fault(.resetBeforeHead),
            .status(.serviceUnavailable), .text("abcdef").bandwidth(bytesPerSecond: 3).chunked(["ab", "cd"]),
            .text("abc").stall(afterBytes: 1),
          ]
            + (0..<60).map { index in
              index.isMultiple(of: 3) ? .fault(.connectionStalled) : .text("b").latency(.exponential(mean: .seconds(1)))
            }))
      let record = Record()
      let session = try Session.Builder().transport(mock).retrier(.backoff(limit: 3)).monitor(record).build()
      await withTaskGroup(of: Void.self) { group in
        for id in 0..<50 {
          group.addTask { _ = await session.request("https://example.com/\(id)").serializingString().response }
        }
      }
      return record.all
    }
  }

  @Test func `one seed gives one course of events`() async throws {
    let first = try await events(seed: 1)
    #expect(first.count > 300)
    #expect(first.contains { $0.contains("retrying") })
    for _ in 0..<3 { #expect(try await events(seed: 1) == first) }
  }

  @Test func `another seed gives another course`() async throws {
    #expect(try await events(seed: 1) != events(seed: 2))
  }

  @Test func `the seed orders tasks that are ready`() async throws {
    let orders = Mutex<Set<[Int]>>([])
    for seed in UInt64(0)..<20 {
      let order = try await withSimulation(seed: seed) {
        await withTaskGroup(of: Int.self) { group in
          for number in 0..<4 { group.addTask { number } }
          return await group.reduce(into: []) { $0.append($1) }
        }
      }
      orders.withLock { _ = $0.insert(order) }
    }
    #expect(orders.withLock { $0.count } > 5)
  }

  @Test func `time moves only when nothing can run`() async throws {
    try await withSimulation { world in
      let log = Lines()
      await withTaskGroup(of: Void.self) { group in
        group.addTask {
          try? await world.sleep(for: .seconds(3_600))
          log.add("hour \(world.clock.now.offset)")
        }
        group.addTask {
          for _ in 0..<100 { await Task.yield() }
          log.add("yielded \(world.clock.now.offset)")
        }
      }
      try world.expect(
        log.all == ["yielded 0.0 seconds", "hour 3600.0 seconds"], "\(log.all)")
    }
  }

  @Test func `timeouts, delays and dates follow the world's time`() async throws {
    try await withSimulation { world in
      let mock = MockTransport()
      mock.stub(.get, "/", .stall)
      let session = try Session.Builder().transport(mock).timeouts(idle: .seconds(20), total: nil).build()
      let before = world.date
      let response = await session.request("https://example.com/").serializingData().response
      try world.expect(response.error?.kind == .timedOut(.idle), "\(response)")
      try world.expect(world.clock.now.offset == .seconds(20), "\(world.clock.now)")
      try world.expect(world.date.timeIntervalSince(before) == 20, "\(world.date)")
    }
  }

  @Test func `chained handlers and streamed bodies stay in the world`() async throws {
    let text = try await withSimulation { world in
      let mock = MockTransport()
      mock.stub(.post, "/") { request in .text(request.text) }
      let session = try Session.Builder().transport(mock).build()
      let heard = Mutex("")
      let body = RequestBody.stream {
        AsyncStream<[UInt8]> { continuation in
          for piece in ["a", "b", "c"] { continuation.yield(Array(piece.utf8)) }
          continuation.finish()
        }
      }
      let request = try OutgoingRequest("https://example.com/", method: .post, body: body)
      session.request(request).responseString { response in heard.withLock { $0 = response.value ?? "" } }
      await session.finishRequests()
      return heard.withLock { $0 }
    }
    #expect(text == "abc")
  }

  @Test func `a body that waits for an event that cannot come is an error that names the waiting requests`()
    async throws
  {
    let error = await #expect(throws: LupineError.self) {
      try await withSimulation(seed: 3) {
        let mock = MockTransport()
        mock.stub(.get, "/") { _ in
          await withUnsafeContinuation { (_: UnsafeContinuation<MockReply, Never>) in }
        }
        let session = try Session.Builder().transport(mock).timeouts(idle: nil).build()
        _ = await session.request("https://example.com/").serializingData().response
      }
    }
    #expect(error?.kind == .simulationStuck)
    #expect(error?.message.contains("seed 3") == true)
    #expect(error?.message.contains("GET https://example.com/") == true)
  }

  @Test func `the error of a body that waits for a task outside shows how to make the task inside`() async throws {
    let (never, end) = AsyncStream.makeStream(of: Void.self)
    defer { end.finish() }
    let error = await #expect(throws: LupineError.self) {
      try await withSimulation {
        await Task { for await _ in never {} }.value
      }
    }
    #expect(error?.kind == .simulationStuck)
    #expect(error?.message.contains("a task made with `Task { }`") == true)
    #expect(error?.message.contains("`Task(executorPreference: world.executor) { }`") == true)
    #expect(error?.message.contains("the main actor") == true)
  }

  @Test func `a simulation inside another is refused`() async throws {
    let error = await #expect(throws: LupineError.self) {
      try await withSimulation(seed: 5) { try await withSimulation(seed: 6) {} }
    }
    #expect(error?.kind == .simulationNested)
    #expect(error?.message.contains("inside the one with seed 5") == true)
    let failure = await #expect(throws: LupineError.self) {
      try await withSimulation { _ = try await Simulation.explore(seeds: 0..<3) { _ in } }
    }
    #expect(failure?.kind == .simulationNested)
  }

  @Test func `a body without an end is given up`() async throws {
    let error = await #expect(throws: LupineError.self) {
      try await withSimulation(stepLimit: 1_000) { world in
        while true { try await world.sleep(for: .seconds(1)) }
      }
    }
    #expect(error?.kind == .simulationStuck)
  }

  @Test func `an error of the body is thrown`() async throws {
    struct Failure: Error {}
    await #expect(throws: Failure.self) { try await withSimulation { throw Failure() } }
  }

  @Test func `sleeps that a body leaves behind end with it`() async throws {
    let ended = Lines()
    try await withSimulation { world in
      Task(executorPreference: world.executor) {
        try? await world.sleep(for: .seconds(100))
        ended.add("\(world.clock.now.offset)")
      }
    }
    #expect(ended.all == ["0.0 seconds"])
  }

  @Test func `two concurrent simulations are independent`() async throws {
    async let first = events(seed: 5)
    async let second = events(seed: 5)
    #expect(try await first == second)
  }
}

/// A value that several tasks change.
private final class Shared<Value: Sendable>: Sendable {
  private let value: Mutex<Value>

  init(_ value: Value) { self.value = Mutex(value) }

  func withLock<Result: Sendable>(_ change: @Sendable (inout Value) -> Result) -> Result {
    value.withLock { change(&$0) }
  }
}
