import LupineCore
import LupineSupport
import Synchronization

/// The transfer of a growing entry, which can continue after its request was cancelled.
final class DetachableTransfer: Sendable {
  private enum State {
    /// The transfer belongs to its request.
    case attached
    /// The request is being cancelled. The task that stores the response may already have seen the end of the body, and
    /// wait for the decision in `takeRest()`.
    case detaching
    /// The request was cancelled, and the transfer continues. The rest of its body is kept until the task that stores
    /// the response takes it.
    case detached(ExchangeControl, rest: ResponseBody?)
    /// The transfer can no longer be detached, or has ended.
    case notDetachable
  }

  private static let unread = LupineError(.cancelled, "No request reads the response any more.")

  private let state = Mutex(State.attached)
  /// Set once it is known whether the transfer continues.
  private let isDecided = Signal()

  /// Continues the transfer without its request; returns whether that is possible.
  ///
  /// - Parameters:
  ///   - branch: the branch of the transfer.
  ///   - reason: why the request is cancelled.
  func detach(_ branch: ExchangeControl, _ reason: LupineError) -> Bool {
    let begins = state.withLock { state in
      guard case .attached = state else { return false }
      state = .detaching
      return true
    }
    guard begins else { return false }
    let rest = branch.detachBody(reason)
    let storingHasEnded = state.withLock { state in
      if case .notDetachable = state { return true }
      state = rest.map { .detached(branch, rest: $0) } ?? .notDetachable
      return false
    }
    isDecided.set()
    if storingHasEnded, let rest { Self.end(branch, rest) }
    return rest != nil
  }

  /// Returns the rest of the body of a detached transfer, once; waits while the request is being cancelled.
  func takeRest() async -> ResponseBody? {
    if case .detaching = state.withLock({ $0 }) { await isDecided.wait() }
    return state.withLock { state in
      guard case .detached(let branch, let rest) = state else { return nil }
      state = .detached(branch, rest: nil)
      return rest
    }
  }

  /// Cancels a detached transfer that no request reads any more.
  func cancel() {
    if case .detached(let branch, _) = state.withLock({ $0 }) { branch.cancel(Self.unread) }
  }

  /// Ends the transfer if it is detached: the task that stores the response has ended.
  func end() {
    let former = state.withLock { state in
      defer { state = .notDetachable }
      return state
    }
    if case .detached(let branch, let rest) = former { Self.end(branch, rest) }
  }

  /// - Parameter rest: the rest, unless the storing task has taken it. A rest that is not open reports its end only
  ///   after it is abandoned.
  private static func end(_ branch: ExchangeControl, _ rest: ResponseBody?) {
    branch.cancel(unread)
    rest?.abandon()
  }
}
