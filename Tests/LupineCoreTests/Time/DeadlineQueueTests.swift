import LupineSupport
import Testing

@testable import LupineCore

@Suite struct DeadlineQueueTests {
  private let queue = DeadlineQueue()
  private let taken = Notes<String>()

  private func add(_ name: String, at deadline: Duration) -> UInt64 {
    queue.add(deadline) { [taken] in taken.add(name) }.number
  }

  private func run(until now: Duration) { while let action = queue.takeOverdue(now) { action() } }

  @Test func `actions are taken at their deadlines, in their order`() {
    for (name, seconds) in [("c", 3), ("a", 1), ("d", 4), ("b", 2), ("b2", 2)] { _ = add(name, at: .seconds(seconds)) }
    run(until: .milliseconds(999))
    #expect(taken.all.isEmpty)
    run(until: .seconds(1))
    #expect(taken.all == ["a"])
    #expect(queue.earliest == .seconds(2))
    run(until: .seconds(9))
    #expect(taken.all == ["a", "b", "b2", "c", "d"])
    #expect(queue.earliest == nil)
  }

  @Test func `only an action before all others is the earliest`() {
    #expect(queue.add(.seconds(5)) {}.isEarliest)
    #expect(!queue.add(.seconds(5)) {}.isEarliest)
    #expect(!queue.add(.seconds(6)) {}.isEarliest)
    #expect(queue.add(.seconds(4)) {}.isEarliest)
  }

  @Test func `a removed action is not taken, and the others are`() {
    let numbers = (1...5).map { add("\($0)", at: .seconds($0)) }
    for index in [0, 2, 4] { queue.remove(numbers[index]) }
    run(until: .seconds(2))
    queue.remove(numbers[1])
    run(until: .seconds(5))
    #expect(taken.all == ["2", "4"])
  }

  @Test func `an action can remove another one that is overdue`() {
    let later = queue.add(.seconds(2)) { [taken] in taken.add("later") }.number
    _ = queue.add(.seconds(1)) { [queue, taken] in
      taken.add("first")
      queue.remove(later)
    }
    run(until: .seconds(3))
    #expect(taken.all == ["first"])
  }

  @Test func `what a removed action holds is released at once`() {
    var held: Signal? = Signal()
    let kept = WeakSignal(held)
    let (number, _) = queue.add(.seconds(3_600)) { [held] in held?.set() }
    held = nil
    #expect(kept.value != nil)
    queue.remove(number)
    #expect(kept.value == nil)
  }

  private struct WeakSignal {
    weak var value: Signal?

    init(_ value: Signal?) { self.value = value }
  }

  @Test func `removed actions leave no growing queue`() {
    let lasting = (0..<100).map { add("", at: .seconds(10_000 + $0)) }
    for index in 0..<100_000 { queue.remove(add("", at: .seconds(20_000 + index))) }
    #expect(queue.count <= 2 * lasting.count + 65)
    for number in lasting { queue.remove(number) }
    #expect(queue.count == 0)
  }
}
