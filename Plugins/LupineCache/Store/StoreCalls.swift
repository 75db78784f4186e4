public import LupineCore
import LupineSupport
import Synchronization

/// Bounds the calls of a store that may not answer, because another process holds its lock or its disk hangs.
///
/// A call that takes longer than a second fails, and so do the calls after it, at once. After a delay one call tries the
/// store again.
final class StoreCalls: Sendable {
  /// The longest time of a call.
  static let limit = Duration.seconds(1)
  /// The time for which the store is left out; it doubles with each failure in succession.
  private static let delays: ClosedRange<Duration> = .seconds(1)...(.seconds(30))
  /// The largest number of keys whose removal is made up for.
  private static let maximumOwed = 1_000

  private struct State {
    /// The clock of the first session that uses the cache; `nil` before.
    var clock: SessionClock?
    var circuit = ProbeCircuit(delays: StoreCalls.delays)
    /// The keys whose responses could not be removed.
    var owed: Set<String> = []
  }

  private enum Outcome<Value: Sendable>: Sendable {
    case answer(Result<Value, LupineError>)
    case tooLate
  }

  private let state = Mutex(State())
  private let isOpen = Atomic(false)

  /// Measures the calls from now on with the clock of a session, unless another session came before.
  func open(_ clock: any Clock<Duration>) {
    guard !isOpen.load(ordering: .relaxed) else { return }
    let clock = SessionClock(clock)
    state.withLock { if $0.clock == nil { $0.clock = clock } }
    isOpen.store(true, ordering: .relaxed)
  }

  /// Calls the store; a cancellation of the task ends the wait at once.
  ///
  /// A call that is given up may go on; its task is cancelled.
  ///
  /// - Parameters:
  ///   - isBounded: whether the call has the time limit. Default: `true`.
  ///   - undo: called with a result that nobody waits for any more. Default: does nothing.
  /// - Throws: the error of the store, kind `storeUnavailable`, or kind `cancelled`.
  func call<Value: Sendable>(
    isBounded: Bool = true, undo: @escaping @Sendable (Value) async -> Void = { _ in },
    _ work: @escaping @Sendable () async throws(LupineError) -> Value
  ) async throws(LupineError) -> Value {
    let clock = isBounded ? state.withLock { $0.clock } : nil
    let isProbe = try clock.map { (clock) throws(LupineError) in try admit(clock) } ?? false
    let waiter = Waiter<Outcome<Value>>()
    let task = Task.immediate(executorPreference: ExecutorPreference.current) {
      do throws(LupineError) {
        let value = try await work()
        guard !waiter.resume(returning: .answer(.success(value))) else { return }
        // In another task, because this one is cancelled.
        Task(executorPreference: ExecutorPreference.current) { await undo(value) }
      } catch {
        _ = waiter.resume(returning: .answer(.failure(error)))
      }
    }
    let timer = clock?.schedule(Self.limit) { _ = waiter.resume(returning: .tooLate) }
    let outcome = await waiter.value()
    timer?.cancel()
    switch outcome {
    case .answer(let result):
      if isProbe { state.withLock { $0.circuit.succeed() } }
      return try result.get()
    case .tooLate:
      task.cancel()
      if let clock { state.withLock { $0.circuit.fail(at: clock.now(), isProbe: isProbe) } }
      throw LupineError(
        .storeUnavailable, "The store of the cache did not answer within a second, and is left out for a while.")
    case nil:
      task.cancel()
      if isProbe { state.withLock { $0.circuit.abandonProbe() } }
      throw LupineError(.cancelled, "The task that waited for the store of the cache was cancelled.")
    }
  }

  /// Returns whether the call tries a store again that has not answered.
  private func admit(_ clock: SessionClock) throws(LupineError) -> Bool {
    switch state.withLock({ $0.circuit.admit(at: clock.now()) }) {
    case .normal: return false
    case .probe: return true
    case .refused:
      throw LupineError(
        .storeUnavailable, "The store of the cache has not answered, and is tried again after a delay.")
    }
  }

  /// Waits for a signal, for the time of one call at most; returns whether it was set.
  func wait(for signal: Signal) async -> Bool {
    let waiter = Waiter<Bool>()
    let task = Task.immediate(executorPreference: ExecutorPreference.current) {
      await signal.wait()
      _ = waiter.resume(returning: true)
    }
    let timer = state.withLock { $0.clock }?.schedule(Self.limit) { _ = waiter.resume(returning: false) }
    let isSet = await waiter.value() ?? false
    timer?.cancel()
    task.cancel()
    return isSet
  }

  // Removals that have failed

  /// Whether responses of the key must be removed before they are read.
  func owesRemoval(of key: String) -> Bool { state.withLock { $0.owed.contains(key) } }

  /// Records that responses of a key could not be removed.
  func oweRemoval(of key: String) {
    state.withLock { if $0.owed.count < Self.maximumOwed { $0.owed.insert(key) } }
  }

  /// Records that the responses of a key were removed.
  func settleRemoval(of key: String) { state.withLock { _ = $0.owed.remove(key) } }
}

extension LupineError.Kind {
  /// The store of a cache did not answer within a second.
  ///
  /// Requests are sent as if nothing was stored. Only the methods of ``HTTPCache`` throw it.
  public static let storeUnavailable = LupineError.Kind.plugin("storeUnavailable")
}
