import LupineMock
import LupineSupport
import Testing

@testable import LupineCore

/// Timers of the system's clock, which share one sleeping task.
@Suite(.timeLimit(.minutes(1))) struct SystemTimersTests {
  private let clock = TestClock()
  private let fired = Notes<String>()

  private func makeTimers() -> SystemTimers { SystemTimers(SessionClock(clock)) }

  @Test func `timers fire in the order of their deadlines`() {
    let timers = makeTimers()
    for (name, delay) in [("c", 3), ("a", 1), ("d", 4), ("b", 2), ("b2", 2)] {
      _ = timers.schedule(.seconds(delay)) { [fired] in fired.add(name) }
    }
    clock.advance(by: .milliseconds(999))
    #expect(fired.all.isEmpty)
    clock.advance(by: .milliseconds(1))
    #expect(fired.all == ["a"])
    clock.advance(by: .seconds(9))
    #expect(fired.all == ["a", "b", "b2", "c", "d"])
  }

  @Test func `a timer that is cancelled does not fire, and the others do`() {
    let timers = makeTimers()
    let all = (1...5).map { number in timers.schedule(.seconds(number)) { [fired] in fired.add("\(number)") } }
    for index in [0, 2, 4] { all[index].cancel() }
    clock.advance(by: .seconds(2))
    all[1].cancel()
    clock.advance(by: .seconds(3))
    #expect(fired.all == ["2", "4"])
  }

  @Test func `a timer that is set when another one fires has its whole delay`() {
    let timers = makeTimers()
    _ = timers.schedule(.seconds(1)) { [fired] in
      fired.add("first")
      _ = timers.schedule(.zero) { fired.add("at once") }
      _ = timers.schedule(.seconds(1)) { fired.add("later") }
    }
    clock.advance(by: .seconds(1))
    #expect(fired.all == ["first", "at once"])
    clock.advance(by: .seconds(1))
    #expect(fired.all == ["first", "at once", "later"])
  }

  @Test func `what a cancelled timer holds is released at once`() {
    let timers = makeTimers()
    var held: Signal? = Signal()
    let kept = WeakSignal(held)
    let timer = timers.schedule(.seconds(3_600)) { [held] in held?.set() }
    held = nil
    #expect(kept.value != nil)
    timer.cancel()
    #expect(kept.value == nil)
  }

  private struct WeakSignal {
    weak var value: Signal?

    init(_ value: Signal?) { self.value = value }
  }

  @Test func `cancelled timers leave no growing queue`() {
    let queue = DeadlineQueue()
    let lasting = (0..<100).map { queue.add(.seconds(10_000 + $0)) {} }
    for index in 0..<100_000 { queue.remove(queue.add(.seconds(20_000 + index)) {}) }
    #expect(queue.count <= 2 * lasting.count + 65)
    for number in lasting { queue.remove(number) }
    #expect(queue.earliest == nil)
    #expect(queue.count == 0)
  }

  @Test func `the system's clock fires`() async {
    for timers in [SystemTimers.continuous, .suspending] {
      let (late, early) = (Notes<Void>(), Signal())
      let timer = timers.schedule(.seconds(3_600)) { late.add(()) }
      // Earlier than the one that the task sleeps for.
      _ = timers.schedule(.milliseconds(1)) { early.set() }
      await early.wait()
      timer.cancel()
      #expect(late.all.isEmpty)
    }
  }
}
