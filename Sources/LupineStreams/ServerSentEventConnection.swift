import HTTPTypes
import LupineCoding
import LupineCore
import LupineSession
import LupineSupport
import Synchronization

/// Leads a request for Server-Sent Events, which opens one connection after the other.
///
/// The request counts as running from the first connection to the end of the stream. So cancelling it, or all requests of
/// the session, also ends a connection of it, or the wait for the next.
final class ServerSentEventConnection: Sendable {
  private struct State {
    var connection: RequestExecution?
    /// Those of the request when it began, which each connection has.
    var settings = RequestSettings()
    /// How many attempts the connections before it have made.
    var attempts = 0
    var hasBegun = false
    var hasEnded = false
  }

  private let task: RequestExecution
  /// The request, its key included, which is the same on every connection.
  private let description: Result<OutgoingRequest, LupineError>
  private let window: Int
  /// Whether it is this one that leads the request.
  let isLeading: Bool
  private let state = Mutex(State())

  init(_ task: RequestExecution, _ consumer: StreamConsumer, hasTaken: Bool) {
    self.task = task
    description = task.description.map { Pipeline(task).keyed($0) }
    window = consumer.window
    isLeading = (hasTaken || consumer.take()) && task.state.withLock { $0.takeLead() }
  }

  deinit { end(Outcome(error: Self.left)) }

  private static var left: LupineError { LupineError(.cancelled, "The stream's reader left before its end.") }

  /// The request of each connection, with its key and its options; `nil` where it could not be made.
  var described: OutgoingRequest? {
    if case .success(let request) = description { task.withOwnOptions(request) } else { nil }
  }

  /// Why the request must end; `nil` where it goes on.
  var reason: LupineError? { task.state.withLock { $0.cancellation } }

  /// Begins the stream, for its only reader.
  ///
  /// - Throws: where there is another reader, or the request must not begin.
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
      // First, so that whoever ends all requests ends one that is held back as well.
      try task.session.registry.insert(task)
      try await passGate()
      task.watchDeadlines()
      task.emit(.started(summary))
    } catch {
      end(Outcome(error: error))
      throw error
    }
  }

  /// Waits while the request is held back.
  func passGate() async throws(LupineError) {
    guard task.state.withLock({ $0.isHeld }) || reason != nil else { return }
    await withTaskCancellationHandler {
      await task.passGate()
    } onCancel: {
      task.cancel()
    }
    if let reason { throw reason }
  }

  /// Waits before the next connection, for a time that is drawn from these.
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

  /// The identifier that the program made the request with.
  var firstEventID: String {
    guard let name = Self.lastEventID, case .success(let request) = task.description else { return "" }
    return request.headers[name] ?? ""
  }

  /// Makes the request for the events after the last one that was seen.
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
      description, session: task.session, consumer: consumer, connectionOf: task.id,
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

  /// Notes the head of a connection, so that the request tells its status.
  func opened(_ head: HTTPResponse) {
    guard let last = state.withLock({ $0.connection })?.state.withLock({ $0.last }) else { return }
    task.state.withLock { $0.take(LastExchange(request: last.request, head: head), status: head.status.code) }
  }

  /// Waits until the last connection has ended, and takes over what it was.
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

  /// Ends the request, once its last connection has ended; returns the error with what the request knows.
  ///
  /// - Parameter refusal: why there is no other after one that was lost.
  @discardableResult
  func end(_ error: LupineError?, refusal: String? = nil) async -> LupineError? {
    // What has ended well ends by itself; else nobody reads the rest.
    if let error { state.withLock { $0.connection }?.cancel(error) }
    let outcome = await settle()
    if let refusal { task.emit(.retrying(after: nil, reason: refusal), attempt: state.withLock { $0.attempts }) }
    let ended = task.completed(Outcome(request: outcome?.request, response: outcome?.response, error: error))
    end(ended)
    return ended.error
  }

  /// Ends the request where its reader left.
  func leave() {
    cancelConnection()
    end(Outcome(error: reason ?? Self.left))
  }

  private func end(_ outcome: Outcome) {
    let (isFirst, connection) = state.withLock { state in
      defer { state.hasEnded = true }
      return (!state.hasEnded, state.connection)
    }
    guard isLeading, isFirst else { return }
    let listeners = task.takeInterimListeners()
    guard connection != nil || !listeners.isEmpty else { return task.concludeStream(outcome) }
    Task(executorPreference: task.session.configuration.executor) { [task] in
      // It has been cancelled; its last event comes before the request's.
      if let connection {
        _ = await connection.outcome()
        task.take(connection)
      }
      await task.finish(listeners.map { $0.finish() })
      task.concludeStream(outcome)
    }
  }

  private func cancelConnection() {
    let connection = state.withLock { $0.connection }
    if let reason { connection?.cancel(reason) } else { connection?.cancel() }
  }
}

extension RequestExecution {
  /// Takes over what a connection of it was, which has ended.
  fileprivate func take(_ connection: RequestExecution) {
    let (last, earlier, status) = connection.state.withLock { ($0.last, $0.earlierMetrics, $0.status) }
    state.withLock { $0.take(last, after: earlier, status: status) }
  }

  /// Ends the request of a stream with what it has taken over from its connections.
  fileprivate func concludeStream(_ outcome: Outcome) {
    let outcome = completed(outcome)
    conclude(consumer?.conclude(outcome) ?? outcome)
  }
}

/// One reading of a stream of events; letting go of it ends the request.
final class EventReading: Sendable {
  let source: ServerSentEventConnection

  init(_ source: ServerSentEventConnection) { self.source = source }

  deinit { source.leave() }
}
