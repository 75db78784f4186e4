import HTTPTypes
import Testing

@testable import LupineCore
@testable import LupineSession

@Suite struct ExecutionStateTests {
  private static let reason = LupineError(.cancelled, "")
  private static let outcome = RequestOutcome(error: reason)

  private enum Step: Sendable {
    case join, add, suspend, resume, cancel, finish, next
  }

  /// Applies a step, and returns the name of the resulting action.
  private static func apply(_ step: Step, to state: inout ExecutionState) -> String {
    switch step {
    case .join:
      switch state.join() {
      case .lead: "lead"
      case .follow: "follow"
      case .take: "take"
      }
    case .add: state.add { _, _ in } ? "task" : "-"
    case .suspend: state.suspend() ? "hold" : "-"
    case .resume: state.resume().map { $0.mustStart ? "start" : "go" } ?? "-"
    case .cancel: state.cancel(reason).map { $0.mustFinish ? "finish" : "tell" } ?? "-"
    case .finish: state.finish(outcome).mustDeliver ? "deliver" : "-"
    case .next: state.nextHandler() == nil ? "-" : "handler"
    }
  }

  @Test(
    arguments: [
      ([.join, .join, .finish, .join], ["lead", "follow", "-", "take"]),
      ([.add, .add, .finish, .next, .next, .next], ["task", "-", "deliver", "handler", "handler", "-"]),
      ([.add, .join, .finish], ["task", "follow", "deliver"]),
      ([.join, .add, .finish, .next, .next], ["lead", "-", "deliver", "handler", "-"]),
      ([.join, .finish, .add, .add, .next, .next, .next], ["lead", "-", "task", "-", "handler", "handler", "-"]),
      ([.join, .finish, .add, .next, .next, .add, .next], ["lead", "-", "task", "handler", "-", "task", "handler"]),
      ([.suspend, .add, .resume, .resume], ["hold", "-", "start", "-"]),
      ([.suspend, .suspend, .resume], ["hold", "-", "start"]),
      ([.resume, .resume, .add], ["start", "-", "-"]),
      ([.join, .suspend, .resume, .resume], ["lead", "hold", "go", "-"]),
      ([.cancel, .finish, .cancel, .join], ["finish", "-", "-", "take"]),
      ([.add, .cancel, .cancel, .finish], ["task", "tell", "-", "deliver"]),
      ([.suspend, .cancel, .resume], ["hold", "finish", "go"]),
      ([.join, .finish, .cancel, .suspend, .resume], ["lead", "-", "-", "-", "-"]),
    ] as [([Step], [String])])
  private func `each transition returns the action to take`(steps: [Step], expected: [String]) {
    var state = ExecutionState(isHeld: false)
    #expect(steps.map { Self.apply($0, to: &state) } == expected)
  }

  @Test func `a held request starts for no handler, and at its resumption`() {
    var state = ExecutionState(isHeld: true)
    #expect(Self.apply(.add, to: &state) == "-")
    #expect(state.mustWait)
    #expect(Self.apply(.resume, to: &state) == "start")
    #expect(!state.mustWait)
  }

  @Test func `a cancelled request waits at no gate`() {
    var state = ExecutionState(isHeld: true)
    _ = state.join()
    _ = state.cancel(Self.reason)
    #expect(!state.mustWait)
  }

  @Test func `a cancellation reaches all work that is nested`() {
    var state = ExecutionState(isHeld: false)
    _ = state.join()
    let notes = Notes<Int>()
    #expect(!state.begin { notes.add(1) }.isEnded)
    #expect(!state.begin { notes.add(2) }.isEnded)
    let last = state.begin { notes.add(3) }
    state.endWork(last.number)
    for work in state.cancel(Self.reason)?.works ?? [] { work() }
    #expect(notes.all == [1, 2])
    let late = state.begin {}
    #expect(late.isEnded)
  }

  @Test func `work that ends before later work is the work that is removed`() {
    var state = ExecutionState(isHeld: false)
    _ = state.join()
    let notes = Notes<Int>()
    let first = state.begin { notes.add(1) }
    _ = state.begin { notes.add(2) }
    state.endWork(first.number)
    state.endWork(first.number)
    for work in state.cancel(Self.reason)?.works ?? [] { work() }
    #expect(notes.all == [2])
  }

  @Test func `an exchange that begins after a cancellation is cancelled`() throws {
    var state = ExecutionState(isHeld: false)
    _ = state.join()
    _ = state.cancel(Self.reason)
    let request = try OutgoingRequest(TestBed.url)
    #expect(state.begin(ExchangeControl(), request, for: request)?.ended?.kind == .cancelled)
  }

  @Test func `an exchange that begins while another is found idle stays timed`() throws {
    var state = ExecutionState(isHeld: false)
    state.timing.started = .zero
    _ = state.join()
    let request = try OutgoingRequest(TestBed.url)
    let (idle, next) = (ExchangeControl(), ExchangeControl())
    _ = state.begin(idle, request, for: request)
    let found = try #require(state.timedRequest?.exchange)
    #expect(state.begin(next, request, for: request) == nil)
    state.endExchange(status: nil, metrics: nil)
    _ = state.begin(next, request, for: request)
    var isLeft = state.stopIdleTimeout(of: found)
    #expect(!isLeft)
    #expect(!state.isIdleTimeoutStopped)
    isLeft = state.stopIdleTimeout(of: next)
    #expect(isLeft)
    #expect(state.isIdleTimeoutStopped)
  }

  @Test func `an attempt that begins while another is found overdue has its own time`() throws {
    var state = ExecutionState(isHeld: false)
    state.timing.started = .zero
    _ = state.join()
    state.timing.beginAttemptTimeout(at: .seconds(1))
    let found = try #require(state.timedRequest?.attempt)
    state.timing.beginAttemptTimeout(at: .seconds(9))
    #expect(state.expireAttempt(begun: found, Self.reason) == nil)
    #expect(!state.isIdleTimeoutStopped)
    #expect(state.expireAttempt(begun: .seconds(9), Self.reason) != nil)
    #expect(state.isIdleTimeoutStopped)
  }

  @Test func `only a running request that has begun is under watch`() {
    var state = ExecutionState(isHeld: false)
    state.timing.started = .zero
    #expect(state.timedRequest == nil)
    _ = state.join()
    #expect(state.timedRequest != nil)
    state.timing.started = nil
    #expect(state.timedRequest == nil)
    state.timing.started = .zero
    _ = state.cancel(Self.reason)
    #expect(state.timedRequest == nil)
  }

  @Test func `a request that is over is not under watch`() {
    var state = ExecutionState(isHeld: false)
    state.timing.started = .zero
    _ = state.join()
    _ = state.finish(Self.outcome)
    #expect(state.timedRequest == nil)
  }
}
