/// Holds back a step of a script, or a test, until it is opened.
///
/// Use gates instead of sleeps to enforce an order: the script waits for a gate that the test opens, or opens a gate
/// that the test waits for. An open gate stays open.
///
/// ```swift
/// let gate = Gate()
/// let server = try ScriptedServer { _ in
///   [.head(status: 200, fields: ["Content-Length": "2"]), .wait(gate), .body([1, 2])]
/// }
/// ```
public final class Gate: Sendable {
  let state = Watched(false)

  /// Creates a closed gate.
  public init() {}

  /// Whether the gate is open.
  public var isOpen: Bool { state.value }

  /// Opens the gate for all current and later waiters; a second call does nothing.
  public func open() {
    state.update { $0 = true }
  }

  /// Waits until the gate is open.
  ///
  /// - Throws: `CancellationError` if the task is cancelled before.
  public func opened() async throws {
    try await state.wait { $0 }
  }

  /// Blocks the calling thread until the gate is open.
  ///
  /// Call it only on the test's own threads, never in a task. The handler of a server must reply with
  /// ``ScriptedReply/Step/wait(_:)`` instead, which also ends with the server.
  ///
  /// - Throws: ``SocketFailure`` if the process has no free file descriptor.
  public func blockUntilOpen() throws {
    _ = try state.block(hangup: nil) { $0 }
  }
}
