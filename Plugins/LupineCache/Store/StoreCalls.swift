public import LupineCore
import LupineSupport
import Synchronization

/// Bounds the calls of a store that may not answer, because another process holds its lock or its disk hangs.
///
/// A call that takes longer than a second fails, and the calls after it fail at once. After a delay one call tries the
/// store again.
final class StoreCalls: Sendable {
  /// The longest time of a call.
  static let limit = Duration.seconds(1)
  /// The time for which the store is not used; it doubles with each failure in succession.
  private static let delays: ClosedRange<Duration> = .seconds(1)...(.seconds(30))
  /// The maximum number of keys in `owed`; with more of them, every response is removed.
  private static let maximumOwed = 1_000

  private struct State {
    /// The clock of the first session that uses the cache; `nil` before its first request.
    var clock: SessionClock?
    var circuit = ProbeCircuit(delays: StoreCalls.delays)
    /// The keys whose responses could not be removed.
    var owed: Set<String> = []
    /// Whether the responses of more keys could not be removed than `owed` holds.
    var owesAll = false
  }

  private enum Outcome<Value: Sendable>: Sendable {
    case answer(Result<Value, LupineError>)
    case tooLate
  }

  private let state = Mutex(State())
  private let isOpen = Atomic(false)

  /// Measures the calls with the clock of a session, unless another session has set its clock before.
  func open(_ clock: any Clock<Duration>) {
    guard !isOpen.load(ordering: .relaxed) else { return }
    let clock = SessionClock(clock)
    state.withLock { if $0.clock == nil { $0.clock = clock } }
    isOpen.store(true, ordering: .relaxed)
  }

  /// Calls the store; a cancellation of the task ends the wait at once.
  ///
  /// If the wait ends first, the call's task is cancelled. The call may continue nevertheless.
  ///
  /// - Parameters:
  ///   - isBounded: whether the call has the time limit. Default: `true`.
  ///   - undo: called with a result that arrives after the wait has ended. Default: does nothing.
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
        .storeUnavailable, "The store of the cache did not answer within a second, and is not used for a while.")
    case nil:
      task.cancel()
      if isProbe { state.withLock { $0.circuit.abandonProbe() } }
      throw LupineError(.cancelled, "The task that waited for the store of the cache was cancelled.")
    }
  }

  /// Admits a call; returns whether it is the one that tries the store again.
  ///
  /// - Throws: kind `storeUnavailable` if the store is not used now.
  private func admit(_ clock: SessionClock) throws(LupineError) -> Bool {
    switch state.withLock({ $0.circuit.admit(at: clock.now()) }) {
    case .normal: return false
    case .probe: return true
    case .refused:
      throw LupineError(
        .storeUnavailable, "The store of the cache has not answered, and is tried again after a delay.")
    }
  }

  /// Waits for a signal, for at most the time limit of a call; returns whether the signal was set.
  func wait(for signal: Signal) async -> Bool {
    guard let clock = state.withLock({ $0.clock }) else { return false }
    return await signal.wait(until: clock.now() + Self.limit, on: clock)
  }

  // Removals that have failed

  /// The responses that must be removed before those of a key are read.
  enum Debt { case none, key, all }

  /// Returns what must be removed before the responses of the key are read.
  func debt(of key: String) -> Debt {
    state.withLock { $0.owesAll ? .all : $0.owed.contains(key) ? .key : .none }
  }

  /// Records that responses of a key could not be removed.
  func oweRemoval(of key: String) {
    state.withLock { state in
      if state.owed.count < Self.maximumOwed { state.owed.insert(key) } else { state.owesAll = true }
    }
  }

  /// Records that the responses of a key were removed.
  func settleRemoval(of key: String) { state.withLock { _ = $0.owed.remove(key) } }

  /// Records that every response was removed.
  func settleAll() {
    state.withLock { state in
      state.owed = []
      state.owesAll = false
    }
  }
}

extension LupineError.Kind {
  /// The store of a cache did not answer within a second.
  ///
  /// Requests are sent as if nothing was stored. Only the methods of ``HTTPCache`` throw it.
  public static let storeUnavailable = LupineError.Kind.plugin("storeUnavailable")
}
