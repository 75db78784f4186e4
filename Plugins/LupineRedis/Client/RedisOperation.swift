import LupineCore
import LupineSupport
import Synchronization

/// One command on its way: in the queue, then on a thread, until one of several parties settles it.
///
/// The thread with the reply, a timer, or the caller's cancellation claims the operation; the first one counts.
final class RedisOperation: Sendable {
  enum Phase: Sendable, Equatable {
    case queued
    case connecting
    case exchanging
    case settled
  }

  private struct State {
    var phase = Phase.queued
    /// The socket that a thread uses for this operation.
    var socket: RedisSocket?
  }

  let command: RedisCommand
  /// Whether the command tries a server again that has failed.
  let isProbe: Bool
  private let state = Mutex(State())
  private let waiter = Waiter<Result<RESPValue, LupineError>>()

  init(_ command: RedisCommand, isProbe: Bool) {
    self.command = command
    self.isProbe = isProbe
  }

  /// Waits for the result; `nil` if the task was cancelled.
  func result() async -> Result<RESPValue, LupineError>? { await waiter.value() }

  /// Begins the next phase; returns false if the operation is settled.
  func enter(_ phase: Phase) -> Bool {
    state.withLock { state in
      guard state.phase != .settled else { return false }
      state.phase = phase
      return true
    }
  }

  /// Makes the socket the one that a timer interrupts; returns false if the operation is settled.
  func attach(_ socket: RedisSocket) -> Bool {
    state.withLock { state in
      guard state.phase != .settled else { return false }
      state.socket = socket
      return true
    }
  }

  /// Settles the operation, for its thread; returns false if it was settled before.
  ///
  /// The socket can then not be interrupted any more, so that the next operation can use it.
  func claim() -> Bool { settle(in: nil) != nil }

  /// Settles the operation, for a timer or a cancelled caller, and interrupts its thread.
  ///
  /// - Parameters:
  ///   - phase: settles it in this phase alone; `nil` means any.
  ///   - record: called with the phase that has ended, before the thread goes on to the next operation.
  /// - Returns: false if nothing was settled.
  @discardableResult
  func interrupt(in phase: Phase? = nil, record: (Phase) -> Void) -> Bool {
    guard let (phase, socket) = settle(in: phase) else { return false }
    record(phase)
    socket?.interrupt()
    return true
  }

  /// Delivers the result; call it after a successful claim.
  func resume(_ result: Result<RESPValue, LupineError>) { waiter.resume(returning: result) }

  private func settle(in required: Phase?) -> (phase: Phase, socket: RedisSocket?)? {
    state.withLock { state in
      guard state.phase != .settled, required == nil || state.phase == required else { return nil }
      defer { state = State(phase: .settled) }
      return (state.phase, state.socket)
    }
  }
}
