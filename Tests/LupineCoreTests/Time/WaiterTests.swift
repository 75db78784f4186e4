import Testing

@testable import LupineCore
@testable import LupineSupport

@Suite struct WaiterTests {
  @Test func `the value comes, before the wait or after`() async {
    let early = Waiter<Int>()
    #expect(early.resume(returning: 1))
    #expect(await early.value() == 1)
    let late = Waiter<Int>()
    async let value = late.value()
    #expect(late.resume(returning: 2))
    #expect(await value == 2)
    #expect(!late.resume(returning: 3))
  }

  @Test func `a task that is cancelled waits no longer, and its value is for another`() async {
    let waiter = Waiter<Int>()
    let task = Task { await waiter.value() }
    task.cancel()
    #expect(await task.value == nil)
    #expect(!waiter.resume(returning: 1))
  }
}
