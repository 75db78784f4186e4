import LupineCore
import Synchronization

/// A state that one call at a time uses, without a lock during the call.
///
/// The call may write to a file, or run code of the program.
struct ExclusiveState<State: ~Copyable & Sendable>: ~Copyable, Sendable {
  /// `nil` during a call.
  private let state: Mutex<State?>

  init(_ state: consuming sending State) { self.state = Mutex(state) }

  /// Calls the closure with the state, on the calling thread.
  ///
  /// - Throws: the error of the closure, or kind `other` if another call has the state.
  func withState<Result>(
    _ body: (inout State) throws(LupineError) -> Result
  ) throws(LupineError) -> Result {
    guard var taken = state.withLock({ $0.take() }) else {
      throw LupineError(.other, "Two calls of a coder or of its reader overlap.")
    }
    do throws(LupineError) {
      let result = try body(&taken)
      restore(taken)
      return result
    } catch {
      restore(taken)
      throw error
    }
  }

  private func restore(_ taken: consuming State) {
    var taken: State? = consume taken
    state.withLock { swap(&$0, &taken) }
  }
}
