/// Waiting for events, never for time.
///
/// Each of these throws `CancellationError` when the task is cancelled, and ``ScriptedServer/Stopped`` when the server has
/// stopped without it.
extension ScriptedServer {
  /// Says that a server stopped before what was waited for had happened.
  public struct Stopped: Error, Sendable, Equatable {}

  /// Waits until so many requests have arrived since the start; returns all that have.
  @discardableResult
  public func waitForRequest(count: Int = 1) async throws -> [ReceivedHTTPRequest] {
    try await wait { $0.requests.count >= count }.requests
  }

  /// Waits until so many connections have been accepted since the start.
  public func waitForConnection(count: Int = 1) async throws {
    _ = try await wait { $0.accepted >= count }
  }

  /// Waits until exactly so many connections are open.
  public func waitForOpenConnections(_ count: Int) async throws {
    _ = try await wait { $0.open == count }
  }

  /// Waits until so many problems have been seen since the start; returns all that have.
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
