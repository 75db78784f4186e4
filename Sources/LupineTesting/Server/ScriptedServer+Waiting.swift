/// Functions that wait for events of the server.
///
/// Each of them throws `CancellationError` if the task is cancelled, and ``ScriptedServer/Stopped`` if the server stops
/// before the event.
extension ScriptedServer {
  /// The error of a wait whose event did not happen before the server stopped.
  public struct Stopped: Error, Sendable, Equatable {}

  /// Waits until at least `count` requests have arrived since the start; returns all of them.
  @discardableResult
  public func waitForRequest(count: Int = 1) async throws -> [ReceivedHTTPRequest] {
    try await wait { $0.requests.count >= count }.requests
  }

  /// Waits until at least `count` connections have been accepted since the start.
  public func waitForConnection(count: Int = 1) async throws {
    _ = try await wait { $0.accepted >= count }
  }

  /// Waits until exactly `count` connections are open.
  public func waitForOpenConnections(_ count: Int) async throws {
    _ = try await wait { $0.open == count }
  }

  /// Waits until at least `count` problems have occurred since the start; returns all of them.
  @discardableResult
  public func waitForProblem(count: Int = 1) async throws -> [Problem] {
    try await wait { $0.problems.count >= count }.problems
  }

  private func wait(until isMet: @escaping @Sendable (ServerRecord) -> Bool) async throws -> ServerRecord {
    try await state.record.wait { isMet($0) || $0.isStopped }
    let record = state.record.value
    guard isMet(record) || !record.isStopped else { throw Stopped() }
    return record
  }
}
