import HTTPTypes
import Synchronization

/// Leads a request for Server-Sent Events, which opens one connection after the other.
///
/// The request counts as running from the first connection to the end of the stream. So cancelling it, or all requests of
/// the session, also ends a connection of it, or the wait for the next.
final class EventSource: Sendable {
  private struct State {
    var connection: RequestTask?
    var hasBegun = false
    var hasEnded = false
  }

  private let task: RequestTask
  private let window: Int
  /// Whether it is this one that leads the request.
  let isLeading: Bool
  private let state = Mutex(State())

  init(_ task: RequestTask, _ consumer: StreamConsumer, hasTaken: Bool) {
    self.task = task
    window = consumer.window
    isLeading = (hasTaken || consumer.take()) && task.state.withLock { $0.takeLead() }
  }

  deinit { end(Outcome(error: Self.left)) }

  private static var left: LupineError { LupineError(.cancelled, "The stream's reader left before its end.") }

  /// Why the request must end; `nil` where it goes on.
  var reason: LupineError? { task.state.withLock { $0.cancellation } }

  /// Begins the stream, for its only reader.
  ///
  /// - Throws: where there is another reader, or the request must not begin.
  func begin() async throws(LupineError) {
    let isFirst = state.withLock { state in
      defer { state.hasBegun = true }
      return !state.hasBegun
    }
    guard isLeading, isFirst else { throw reason ?? .streamIsTaken }
    do throws(LupineError) {
      let summary = try task.description.get().summary
      _ = task.state.withLock { $0.begin { [weak self] in self?.cancelConnection() } }
      // First, so that whoever ends all requests ends one that is held back as well.
      try task.session.registry.insert(task)
      try await passGate()
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
  func wait(in range: ClosedRange<Duration>) async throws(LupineError) {
    let clock = task.session.clock
    let part = task.session.random().fraction
    let delay = range.lowerBound + (range.upperBound - range.lowerBound) * part
    await withTaskCancellationHandler {
      // A cancellation ends it early, and is the only thing that does.
      try? await task.interruptible { try await clock.sleep(delay) }
    } onCancel: {
      task.cancel()
    }
    if let reason { throw reason }
  }

  /// Makes the request for the events after the last one that was seen.
  func connection(lastEventID: String) -> DataStreamRequest {
    let description = task.description.map { request in
      var request = request
      request.headers[.accept] = request.headers[.accept] ?? "text/event-stream"
      request.headers[.cacheControl] = request.headers[.cacheControl] ?? "no-store"
      if !lastEventID.isEmpty, let name = HTTPField.Name("Last-Event-ID") { request.headers[name] = lastEventID }
      return request
    }
    let consumer = StreamConsumer(window: window)
    let connection = RequestTask(description, session: task.session, consumer: consumer, isPart: true)
    let settings = task.state.withLock { $0.settings }
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
    task.state.withLock { $0.endExchange(status: head.status.code, metrics: nil) }
  }

  /// Ends the request, once its last connection has ended.
  func end(_ error: LupineError?) async {
    let last = state.withLock { $0.connection }
    // What has ended well ends by itself; else nobody reads the rest.
    if error != nil { last?.cancel() }
    let outcome = await last?.outcome()
    end(Outcome(request: outcome?.request, response: outcome?.response, error: error))
  }

  /// Ends the request where its reader left.
  func leave() { end(Outcome(error: reason ?? Self.left)) }

  private func end(_ outcome: Outcome) {
    let isFirst = state.withLock { state in
      defer { state.hasEnded = true }
      return !state.hasEnded
    }
    guard isLeading, isFirst else { return }
    let listeners = task.takeInterimListeners()
    guard !listeners.isEmpty else { return task.conclude(task.consumer?.conclude(outcome) ?? outcome) }
    Task(executorPreference: task.session.configuration.executor) { [task] in
      await task.finish(listeners.map { $0.finish() })
      task.conclude(task.consumer?.conclude(outcome) ?? outcome)
    }
  }

  private func cancelConnection() {
    let connection = state.withLock { $0.connection }
    if let reason { connection?.cancel(reason) } else { connection?.cancel() }
  }
}
