import Testing

@testable import LupineReachability

@Suite struct ChangeFilterTests {
  @Test func `the first value is reported at once, and one that stays is not again`() {
    var filter = ChangeFilter<Int>(waits: true)
    #expect(filter.receive(1) == .report(1))
    #expect(filter.receive(1) == .none)
  }

  @Test func `without waiting every change is reported`() {
    var filter = ChangeFilter<Int>(waits: false)
    #expect([1, 2, 2, 1].map { filter.receive($0) } == [.report(1), .report(2), .none, .report(1)])
  }

  @Test func `a change is reported when it has held`() {
    var filter = ChangeFilter<Int>(waits: true)
    _ = filter.receive(1)
    #expect(filter.receive(2) == .wait)
    #expect(filter.receive(2) == .none)
    #expect(filter.expire() == 2)
    #expect(filter.expire() == nil)
  }

  @Test func `a change that is undone meanwhile never is`() {
    var filter = ChangeFilter<Int>(waits: true)
    _ = filter.receive(1)
    _ = filter.receive(2)
    #expect(filter.receive(1) == .stopWaiting)
    #expect(filter.expire() == nil)
  }

  @Test func `each change restarts the wait`() {
    var filter = ChangeFilter<Int>(waits: true)
    _ = filter.receive(1)
    #expect([2, 3].map { filter.receive($0) } == [.wait, .wait])
    #expect(filter.expire() == 3)
  }
}
