/// Holds back a step of a script, or a test, until someone opens it.
///
/// A test that must know an order uses gates where others would sleep: the script waits for a gate that the test opens,
/// or opens one that the test waits for. Once open, a gate stays open.
///
/// ```swift
/// let gate = Gate()
/// let server = try ScriptedServer { _ in [.head(status: 200, fields: ["Content-Length": "2"]), .wait(gate), .body([1, 2])] }
/// ```
public final class Gate: Sendable {
  let state = Watched(false)

  /// Makes a gate that is shut.
  public init() {}

  /// Whether someone has opened it.
  public var isOpen: Bool { state.value }

  /// Lets everyone through, now and later; opening it again does nothing.
  public func open() {
    state.update { $0 = true }
  }

  /// Returns as soon as the gate is open.
  ///
  /// Throws `CancellationError` when the task is cancelled before.
  public func opened() async throws {
    try await state.wait { $0 }
  }

  /// Blocks the calling thread until the gate is open.
  ///
  /// Meant for threads of one's own, never for a task. A server's handler should reply with ``ScriptedReply/Step/wait(_:)``
  /// instead, which also ends with the server. Throws ``SocketFailure`` when the process has no descriptor left.
  public func blockUntilOpen() throws {
    _ = try state.block(hangup: nil) { $0 }
  }
}
