import Dispatch
import Glibc
import LupineCore
import LupineMock
import Synchronization
import Testing

@Suite struct ImmediateClockTests {
  @Test func `a sleep returns at once and moves the time`() async throws {
    let clock = ImmediateClock()
    try await clock.sleep(for: .seconds(3_600))
    try await clock.sleep(for: .milliseconds(1))
    #expect(clock.now.offset == .seconds(3_600) + .milliseconds(1))
  }

  @Test func `a sleep until the past leaves the time`() async throws {
    let clock = ImmediateClock()
    try await clock.sleep(for: .seconds(10))
    try await clock.sleep(until: VirtualInstant(offset: .seconds(5)))
    #expect(clock.now.offset == .seconds(10))
  }

  @Test func `timers on the way fire in order, each at its moment`() async throws {
    let clock = ImmediateClock()
    let fired = Mutex<[Duration]>([])
    for seconds in [3, 1, 2, 9] {
      _ = clock.schedule(at: VirtualInstant(offset: .seconds(seconds))) {
        fired.withLock { $0.append(clock.now.offset) }
      }
    }
    let cancelled = clock.schedule(at: VirtualInstant(offset: .seconds(2))) { fired.withLock { $0.append(.zero) } }
    cancelled.cancel()
    try await clock.sleep(for: .seconds(5))
    #expect(fired.withLock { $0 } == [.seconds(1), .seconds(2), .seconds(3)])
  }

  @Test func `a sleep waits for the action of a timer that another sleep fires`() async throws {
    let clock = ImmediateClock()
    let hasEnded = Mutex(false)
    let (entered, enter) = AsyncStream.makeStream(of: Void.self)
    let second = DispatchSemaphore(value: 0)
    _ = clock.schedule(at: VirtualInstant(offset: .seconds(1))) {
      enter.finish()
      // The second sleep has begun now; without the wait it ends while this action still runs.
      second.wait()
      for _ in 0..<1_000 { sched_yield() }
      hasEnded.withLock { $0 = true }
    }
    let first = Task.detached { try await clock.sleep(for: .seconds(2)) }
    for await _ in entered {}
    async let sleep: Void = {
      second.signal()
      try await clock.sleep(until: VirtualInstant(offset: .seconds(3)))
    }()
    try await sleep
    #expect(hasEnded.withLock { $0 })
    try await first.value
    #expect(clock.now.offset == .seconds(3))
  }

  @Test func `a timer that cancels the sleeping task ends the sleep at its moment`() async throws {
    let clock = ImmediateClock()
    let began = Mutex<Task<Void, any Error>?>(nil)
    _ = clock.schedule(at: VirtualInstant(offset: .seconds(2))) { began.withLock { $0 }?.cancel() }
    let (ready, go) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      for await _ in ready {}
      try await clock.sleep(for: .seconds(5))
    }
    began.withLock { $0 = task }
    go.finish()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(clock.now.offset == .seconds(2))
  }
}
