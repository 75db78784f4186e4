import LupineSupport
import Testing

@testable import LupineTransferQueue

@Suite(.timeLimit(.minutes(1))) struct ChangeSignalTests {
  @Test func `who has not heard of the last change does not wait, and who has waits for the next one`() async throws {
    var signal = ChangeSignal()
    let waiter = signal.waiter(after: 0)
    let first = try #require(waiter)
    signal.send()
    #expect(signal.number == 1)
    #expect(await first.value() != nil)
    let (former, next) = (signal.waiter(after: 0), signal.waiter(after: 1))
    #expect(former === nil)
    #expect(next !== nil)
  }

  @Test func `the end wakes those who wait, and nobody waits after it`() async throws {
    var signal = ChangeSignal()
    let added = signal.waiter(after: 0)
    let waiter = try #require(added)
    signal.end()
    #expect(await waiter.value() != nil)
    let late = signal.waiter(after: 0)
    #expect(late === nil)
  }
}
