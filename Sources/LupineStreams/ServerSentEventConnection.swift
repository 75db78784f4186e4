import HTTPTypes
import LupineCoding
import LupineCore
import LupineSession
import LupineSupport
import Synchronization

/// Controls a request for Server-Sent Events, which opens one connection after another.
///
/// The request counts as running from the first connection to the end of the stream. Cancelling this request, or all
/// requests of the session, also ends its current connection or the wait for the next one.
final class ServerSentEventConnection: Sendable {
  private struct State {
    var connection: RequestExecution?
    /// The settings of the request when it began; each connection has them.
    var settings = RequestSettings()
    /// The number of attempts of the earlier connections.
    var attempts = 0
    var hasBegun = false
    var hasEnded = false
  }

  private let task: RequestExecution
  /// The request with its key; both are the same on every connection.
  private let description: Result<OutgoingRequest, LupineError>
  private let window: Int
  /// Whether this object controls the request.
  let isLeading: Bool
  private let state = Mutex(State())

  init(_ task: RequestExecution, _ consumer: StreamConsumer, hasTaken: Bool) {
    self.task = task
    description = task.description.map { Pipeline(task).keyed($0) }
    window = consumer.window
    isLeading = (hasTaken || consumer.take()) && task.state.withLock { $0.takeLead() }
  }

  deinit { endLater(Outcome(error: Self.left)) }

  private static var left: LupineError { LupineError(.cancelled, "The stream's reader left before its end.") }

  /// The request of each connection, with its key and its options; `nil` if it could not be made.
  var described: OutgoingRequest? {
    if case .success(let request) = description { task.withOwnOptions(request) } else { nil }
  }

  /// The reason of the cancellation; `nil` if the request is not cancelled.
  var reason: LupineError? { task.state.withLock { $0.cancellation } }

  /// Begins the stream for its only consumer.
  ///
  /// - Throws: `LupineError` if there is another consumer, or if the request must not begin.
  func begin() async throws(LupineError) {
    let settings = task.state.withLock { $0.settings }
    let isFirst = state.withLock { state in
      defer { state.hasBegun = true }
      if !state.hasBegun { state.settings = settings }
      return !state.hasBegun
    }
    guard isLeading, isFirst else { throw reason ?? .streamIsTaken }
    do throws(LupineError) {
      let summary = try task.description.get().summary
      _ = task.state.withLock { $0.begin { [weak self] in self?.cancelConnection() } }
      // Registered before the gate, so that `cancelAllRequests` also ends a suspended request.
      try task.session.registry.insert(task)
      try await passGate()
      task.watchDeadlines()
      task.emit(.started(summary))
    } catch {
      endLater(Outcome(error: error))
      throw error
    }
  }

  /// Waits while the request is suspended.
  func passGate() async throws(LupineError) {
    guard task.state.withLock({ $0.isHeld }) || reason != nil else { return }
    await withTaskCancellationHandler {
      await task.passGate()
    } onCancel: {
      task.cancel()
    }
    if let reason { throw reason }
  }

  /// Waits before the next connection, for a random time in the range.
  func wait(in range: ClosedRange<Duration>, because reason: String) async throws(LupineError) {
    await settle()
    let part = task.session.random().fraction
    let delay = range.lowerBound + (range.upperBound - range.lowerBound) * part
    task.emit(.retrying(after: delay, reason: reason), attempt: state.withLock { $0.attempts })
    await withTaskCancellationHandler {
      await Pipeline(task).wait(delay)
    } onCancel: {
      task.cancel()
    }
    if let reason = self.reason { throw reason }
  }

  private static let lastEventID = HTTPField.Name("Last-Event-ID")

  /// The `Last-Event-ID` of the request that the program made.
  var firstEventID: String {
    guard let name = Self.lastEventID, case .success(let request) = task.description else { return "" }
    return request.headers[name] ?? ""
  }

  /// Makes the request for the events after the last event that was received.
  func connection(lastEventID: String) -> DataStreamRequest {
    let description = description.map { request in
      var request = request
      request.headers[.accept] = request.headers[.accept] ?? "text/event-stream"
      request.headers[.cacheControl] = request.headers[.cacheControl] ?? "no-store"
      if let name = Self.lastEventID { request.headers[name] = lastEventID.isEmpty ? nil : lastEventID }
      return request
    }
    let consumer = StreamConsumer(window: window)
    let connection = RequestExecution(
      description, session: task.session, handler: consumer, connectionOf: task.id,
      after: state.withLock { $0.attempts })
    let settings = state.withLock { $0.settings }
    connection.state.withLock { state in
      state.settings = settings
      state.settings.validators.append(.statusCodes([200, 204]))
      state.settings.validators.append(.contentTypes(["text/event-stream"]))
    }
    state.withLock { $0.connection = connection }
    if reason != nil { cancelConnection() }
    return DataStreamRequest(connection, consumer)
  }

  /// Records the head of a connection, so that the request reports its status.
  func opened(_ head: HTTPResponse) {
    guard let last = state.withLock({ $0.connection })?.state.withLock({ $0.last }) else { return }
    var opened = LastExchange(request: last.request, head: head)
    opened.attributes = last.attributes
    task.state.withLock { [opened] in $0.take(opened, status: head.status.code) }
  }

  /// Waits until the last connection has ended, and copies its results.
  @discardableResult
  private func settle() async -> Outcome? {
    guard let last = state.withLock({ $0.connection }) else { return nil }
    let outcome = await last.outcome()
    state.withLock { state in
      state.connection = nil
      state.attempts = max(state.attempts, last.state.withLock { $0.attempt })
    }
    task.take(last)
    return outcome
  }

  /// Ends the request after its last connection has ended; returns the error with the details of the request.
  ///
  /// - Parameter refusal: why there is no reconnection after a lost connection.
  @discardableResult
  func end(_ error: LupineError?, refusal: String? = nil) async -> LupineError? {
    // A connection without an error ends by itself; otherwise the rest of its body is not needed.
    if let error { state.withLock { $0.connection }?.cancel(error) }
    let outcome = await settle()
    if let refusal { task.emit(.retrying(after: nil, reason: refusal), attempt: state.withLock { $0.attempts }) }
    let ended = task.completed(Outcome(request: outcome?.request, response: outcome?.response, error: error))
    if takesEnd() { await task.concludeStream(ended, takeConnection()) }
    return ended.error
  }

  /// Ends the request because its reader was released.
  func leave() {
    cancelConnection()
    endLater(Outcome(error: reason ?? Self.left))
  }

  /// Ends the request in a task of its own.
  private func endLater(_ outcome: Outcome) {
    guard takesEnd() else { return }
    let connection = takeConnection()
    Task(executorPreference: task.session.configuration.executor) { [task] in
      await task.concludeStream(outcome, connection)
    }
  }

  /// Whether the caller ends the request; true once.
  private func takesEnd() -> Bool {
    state.withLock { state in
      defer { state.hasEnded = true }
      return isLeading && !state.hasEnded
    }
  }

  private func takeConnection() -> RequestExecution? { state.withLock { $0.connection } }

  private func cancelConnection() {
    let connection = state.withLock { $0.connection }
    if let reason { connection?.cancel(reason) } else { connection?.cancel() }
  }
}

extension RequestExecution {
  /// Copies the results of a connection that has ended.
  fileprivate func take(_ connection: RequestExecution) {
    let (last, earlier, status) = connection.state.withLock { ($0.last, $0.earlierMetrics, $0.status) }
    state.withLock { $0.take(last, after: earlier, status: status) }
  }

  /// Ends the request of a stream with the results of its connections.
  ///
  /// - Parameter connection: the last connection, which is cancelled; its last event comes before that of the request.
  fileprivate func concludeStream(_ outcome: Outcome, _ connection: RequestExecution?) async {
    if let connection {
      _ = await connection.outcome()
      take(connection)
    }
    await finish(takeInterimListeners().map { $0.finish() })
    let outcome = completed(outcome)
    conclude(await handler?.conclude(outcome) ?? outcome)
  }
}

/// One iteration of an event stream; its release ends the request.
final class EventReading: Sendable {
  let source: ServerSentEventConnection

  init(_ source: ServerSentEventConnection) { self.source = source }

  deinit { source.leave() }
}
