import LupineCore
import LupineMock
import Synchronization
import Testing

@Suite struct TestClockTests {
  @Test func `sleepers wake in the order of their deadlines`() async throws {
    let clock = TestClock()
    let (woken, wake) = AsyncStream.makeStream(of: Int.self)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for seconds in [3, 1, 2] {
        group.addTask {
          try await clock.sleep(for: .seconds(seconds))
          wake.yield(seconds)
        }
      }
      await clock.waitForSleepers(3)
      var order = woken.makeAsyncIterator()
      for seconds in 1...3 {
        clock.advance(by: .seconds(1))
        #expect(await order.next() == seconds)
      }
      try await group.waitForAll()
    }
    #expect(clock.now.offset == .seconds(3))
  }

  @Test func `a sleeper stays until its deadline`() async throws {
    let clock = TestClock()
    let task = Task { try await clock.sleep(for: .seconds(2)) }
    await clock.waitForSleepers()
    clock.advance(by: .milliseconds(1_999))
    #expect(clock.sleepers == 1)
    clock.advance(to: VirtualInstant(offset: .seconds(2)))
    #expect(clock.sleepers == 0)
    try await task.value
  }

  @Test func `run moves to the next deadline`() async throws {
    let clock = TestClock()
    let task = Task {
      try await clock.sleep(for: .seconds(7))
      try await clock.sleep(for: .seconds(5))
    }
    await clock.run()
    #expect(clock.now.offset == .seconds(7))
    await clock.run()
    #expect(clock.now.offset == .seconds(12))
    try await task.value
  }

  @Test func `a cancelled sleep ends at once`() async throws {
    let clock = TestClock()
    let task = Task { try await clock.sleep(for: .seconds(7)) }
    await clock.waitForSleepers()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(clock.sleepers == 0)
    #expect(clock.now.offset == .zero)
  }

  @Test func `a sleep in a task that is cancelled already does not begin`() async throws {
    let clock = TestClock()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await clock.sleep(for: .seconds(7))
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `timers fire when time is moved past them, and those taken away do not`() {
    let clock = TestClock()
    let fired = Mutex<[Int]>([])
    for seconds in [2, 1] {
      _ = clock.schedule(at: VirtualInstant(offset: .seconds(seconds))) { fired.withLock { $0.append(seconds) } }
    }
    clock.schedule(at: VirtualInstant(offset: .seconds(1))) { fired.withLock { $0.append(0) } }.cancel()
    clock.advance(by: .milliseconds(500))
    #expect(fired.withLock { $0 } == [])
    clock.advance(by: .seconds(10))
    #expect(fired.withLock { $0 } == [1, 2])
  }
}
