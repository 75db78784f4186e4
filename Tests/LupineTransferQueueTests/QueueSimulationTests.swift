import Foundation
import LupineCore
import LupineFixtures
import LupineMock
import LupineSession
import Testing

@testable import LupineTransferQueue

/// Orders of calls, ends and restarts, which a seed decides.
@Suite(.timeLimit(.minutes(3))) struct QueueSimulationTests {
  private static let count = 8

  private static func content(_ number: Int) -> Data { Data.pattern(3_000 + number * 1_111) }

  @Test func `each transfer ends once and whole under each seed`() async throws {
    let mix = FaultMix { mix in
      mix.faults = [
        .connectionRefused, .networkUnreachable, .resetBeforeHead, .resetAfterHead, .truncated(afterBytes: 1),
      ]
      mix.faultRate = 0.2
    }
    let first = Seeds.first
    let runs = try await Simulation.explore(seeds: first..<first + 20, mix: mix) { world in try await Self.run(world) }
    #expect(runs == 20)
  }

  private static func run(_ world: Simulation) async throws {
    let stage = try QueueStage()
    stage.mock.stub(.get, "/{number}") { request in
      .resource(content(Int(request.variables["number"] ?? "") ?? 0), etag: "1")
    }
    var facts = QueueFacts(world: world)
    for round in 0..<8 {
      let session = try Session.Builder().transport(stage.mock)
        .timeouts(connect: .seconds(10), idle: .seconds(30), total: nil).build()
      let queue = try stage.queue(session, clock: nil)
      // The queue before it may still be closing.
      while try await !queue.takeOver() { try await Self.wait(world) }
      // Some rounds end at once.
      for _ in 0..<world.random() % 8 { try await Self.step(queue, stage, world, &facts) }
      if round == 7 { try await Self.finish(queue, stage, world, &facts) }
      switch world.random() % 3 {
      case 0: await queue.close()
      case 1: await queue.engine.vanish()
      // Released without a call.
      default: break
      }
    }
    try facts.check(stage, content)
  }

  private static func wait(_ world: Simulation) async throws {
    try await world.clock.sleep(until: world.clock.now.advanced(by: .milliseconds(20)), tolerance: nil)
  }

  private static func add(_ most: Int, to queue: TransferQueue, _ stage: QueueStage, _ facts: inout QueueFacts)
    async throws
  {
    let numbers = Array(facts.numbers.count..<min(count, facts.numbers.count + most))
    for (id, number) in zip(try await queue.add(numbers.map { stage.download("\($0)") }), numbers) {
      facts.numbers[id] = number
    }
  }

  /// Calls the queue once.
  private static func step(
    _ queue: TransferQueue, _ stage: QueueStage, _ world: Simulation, _ facts: inout QueueFacts
  ) async throws {
    let ids = facts.numbers.keys.sorted()
    guard !ids.isEmpty else { return try await add(3, to: queue, stage, &facts) }
    let id = ids[Int(world.random() % UInt64(ids.count))]
    switch world.random() % 14 {
    case 0, 1: try await add(1 + Int(world.random() % 3), to: queue, stage, &facts)
    case 2, 3: try await queue.pause(id)
    case 4, 5: try await queue.resume(id)
    case 6:
      facts.cancelled.insert(id)
      try await queue.cancel(id)
    case 7 where world.random() % 3 == 0:
      try await queue.remove(id)
      facts.removed.insert(id)
    case 12, 13: try await queue.move(id, to: place(world, beside: ids))
    case 8, 9:
      guard await !queue.engine.machine.events.isEmpty, let event = await queue.peek() else { return }
      try facts.tell(event)
      // Some events stay, and come again.
      if world.random() % 2 == 0 { try await acknowledge(event, queue, &facts) }
    default: try await wait(world)
    }
  }

  private static func place(_ world: Simulation, beside ids: [TransferID]) -> TransferPlace {
    let priority = TransferPriority.allCases[Int(world.random() % 3)]
    let other = ids[Int(world.random() % UInt64(ids.count))]
    return [.front(of: priority), .back(of: priority), .before(other), .after(other)][Int(world.random() % 4)]
  }

  private static func acknowledge(_ event: TransferEvent, _ queue: TransferQueue, _ facts: inout QueueFacts)
    async throws
  {
    try await queue.acknowledge(event)
    facts.acknowledged.insert(event.number)
  }

  /// Runs all transfers to their ends.
  private static func finish(
    _ queue: TransferQueue, _ stage: QueueStage, _ world: Simulation, _ facts: inout QueueFacts
  ) async throws {
    try await add(count, to: queue, stage, &facts)
    for snapshot in try await queue.transfers { try await queue.resume(snapshot.id) }
    while true {
      let machine = await queue.engine.machine
      guard !machine.items.isEmpty else { return }
      // Only files are to be removed.
      let isOver = machine.items.values.allSatisfy { $0.isRemoved || $0.state == .finished || $0.state == .cancelled }
      if isOver, machine.events.isEmpty {
        try await wait(world)
        continue
      }
      guard let event = await queue.peek() else { return }
      try facts.tell(event)
      try await acknowledge(event, queue, &facts)
      if event.failure != nil { try await queue.resume(event.transfer) }
    }
  }
}

/// The facts of one simulation, which must not contradict each other.
private struct QueueFacts {
  let world: Simulation
  /// The number in the URL of each transfer.
  var numbers: [TransferID: Int] = [:]
  var told: [Int64: TransferEvent] = [:]
  var acknowledged: Set<Int64> = []
  var finished: Set<TransferID> = []
  /// The transfers that were cancelled before or after their ends.
  var cancelled: Set<TransferID> = []
  var removed: Set<TransferID> = []

  init(world: Simulation) { self.world = world }

  mutating func tell(_ event: TransferEvent) throws {
    try world.expect(!acknowledged.contains(event.number), "\(event.number) came after its acknowledgement.")
    try world.expect(told[event.number] ?? event == event, "\(event.number) was another event before.")
    try world.expect(!removed.contains(event.transfer), "\(event) is of a removed transfer.")
    told[event.number] = event
    switch event.kind {
    case .finished: finished.insert(event.transfer)
    case .cancelled: try world.expect(cancelled.contains(event.transfer), "\(event.transfer) was not cancelled.")
    // The faults of the network are those of the mock.
    case .failed(let failure): try world.expect(failure.kind.hasPrefix("connection"), "\(failure.kind): \(failure)")
    case .needsCredential: try world.expect(false, "No transfer needs a credential.")
    }
  }

  /// Checks what is left at the end.
  func check(_ stage: QueueStage, _ content: (Int) -> Data) throws {
    var names = Set(stage.names)
    for (id, number) in numbers {
      let isThere = names.remove("\(number)") != nil
      try world.expect(!isThere || stage.content("\(number)") == content(number), "The bytes of \(number) are others.")
      if finished.contains(id) {
        try world.expect(isThere, "The file of \(number) is missing.")
      } else {
        // A removed transfer may have finished before.
        try world.expect(cancelled.contains(id) || removed.contains(id), "\(number) has not finished.")
        try world.expect(!isThere || removed.contains(id), "\(number) was cancelled and has a file.")
      }
    }
    try world.expect(names.isEmpty, "There are \(names).")
  }
}

extension QueueEngine {
  /// Ends as a process that is killed: nothing more is stored, and no call waits.
  func vanish() async {
    isClosed = true
    stored.close()
    cancelTimers()
    running.cancelAll()
    // A killed process writes no more; the next queue must not begin before the tasks have ended.
    while !running.isEmpty { await Task.yield() }
  }
}
