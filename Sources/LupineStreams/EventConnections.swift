import HTTPTypes
import LupineCoding
import LupineCore
import LupineSession
import LupineSupport
import Synchronization

/// The connections of a stream of events, as its reader sees them: one after another, each an attempt of one request.
final class EventConnections: Sendable {
  private let execution: RequestExecution
  private let consumer: StreamConsumer
  private let requests = ReconnectionRequests()
  private let hasBegun = Atomic<Bool>(false)
  /// Whether the events of the request are read here; false if it has begun or has another consumer.
  let isReader: Bool

  /// - Parameter ranges: the media ranges that are accepted besides `text/event-stream`.
  init(
    _ execution: RequestExecution, _ consumer: StreamConsumer, accepting ranges: [String], hasTaken: Bool
  ) {
    self.execution = execution
    self.consumer = consumer
    isReader = Self.reserve(consumer, of: execution, for: requests, accepting: ranges, hasTaken: hasTaken)
  }

  /// Reserves the body of a request that has not started; returns false if it has, or if there is another reader.
  private static func reserve(
    _ consumer: StreamConsumer, of execution: RequestExecution, for requests: ReconnectionRequests,
    accepting ranges: [String], hasTaken: Bool
  ) -> Bool {
    guard hasTaken || consumer.take() else { return false }
    // Before the request can start.
    consumer.setReconnections(requests)
    if execution.add(validators: [.statusCodes([200, 204]), .events(accepting: ranges)]) { return true }
    consumer.endReconnections()
    if !hasTaken { consumer.release() }
    return false
  }

  deinit { leave() }

  /// The session's decoder.
  var decoder: any DataDecoder { execution.session.decodingDefaults.decoder }

  /// Why the request was cancelled; `nil` if it was not.
  private var reason: LupineError? { execution.cancellation }

  /// The `Last-Event-ID` of the request that the program made.
  var firstEventID: String {
    guard case .success(let request) = execution.original else { return "" }
    return ReconnectionRequests.lastEventID(of: request)
  }

  /// Returns the reason why the stream does not reconnect; `nil` if it does, or if the request has not begun.
  func refusal(_ reconnects: Bool?) -> Reconnection.Refusal? {
    Reconnection.Refusal(requests.request, reconnects: reconnects)
  }

  /// Begins the request for its only reader.
  ///
  /// - Throws: `LupineError` if there is another reader, or if the session accepts no more requests.
  func begin() throws(LupineError) {
    guard isReader, !hasBegun.exchange(true, ordering: .relaxed) else { throw reason ?? .streamIsTaken }
    do throws(LupineError) {
      // Also registers a suspended request, so that `cancelAllRequests` ends it.
      try execution.register()
    } catch {
      execution.cancel(error)
      throw error
    }
    execution.endProgress()
    execution.start()
  }

  /// Waits for the head of the current connection; returns it with the bytes of the body.
  func open() async throws(LupineError) -> (head: HTTPResponse, bytes: ByteStream.Iterator) {
    let response = consumer.response
    let head = try await cancelling { await response.opening() }.get()
    return (head, ByteStream.Iterator(Reading(execution, response, isConnection: true), limit: nil))
  }

  /// Waits until the attempt of the current connection has ended.
  ///
  /// - Throws: the reason of the cancellation, if the request was cancelled.
  func ended() async throws(LupineError) {
    _ = await consumer.response.ended()
    if let reason { throw reason }
  }

  /// Makes another connection after a random time in the range.
  func reconnect(after lastEventID: String, in range: ClosedRange<Duration>, because reason: String) {
    consumer.expectNextResponse()
    let delay = range.lowerBound + (range.upperBound - range.lowerBound) * execution.session.random().fraction
    requests.reconnect(after: lastEventID, in: delay, because: reason)
  }

  /// Waits while the request is suspended.
  ///
  /// - Throws: the reason of the cancellation, if the request was cancelled.
  func waitWhileSuspended() async throws(LupineError) { try await execution.waitWhileSuspended() }

  /// Ends the request; returns its error.
  ///
  /// - Parameters:
  ///   - error: the error of the stream; `nil` if the stream ended without one.
  ///   - refusal: why there is no reconnection after a lost connection.
  @discardableResult
  func end(_ error: LupineError?, refusal: String? = nil) async -> LupineError? {
    requests.end(error, reason: refusal)
    // An error that the reader found: the response may still be arriving.
    if let error, !consumer.response.hasEnded { execution.cancel(error) }
    let outcome = await execution.outcome()
    return error.map { outcome.error ?? $0 }
  }

  /// Cancels a request whose reader was released; a request that has ended is not changed.
  func leave() {
    guard isReader else { return }
    execution.cancel(LupineError(.cancelled, "The reader of the stream was released before the end of the stream."))
  }

  /// Runs the operation; cancelling the caller's task cancels the request.
  private func cancelling<Value: Sendable>(_ operation: () async -> Value) async -> Value {
    await withTaskCancellationHandler {
      await operation()
    } onCancel: {
      execution.cancel()
    }
  }
}

/// One iteration of an event stream; its release ends the request.
final class EventReading: Sendable {
  let connections: EventConnections

  init(_ connections: EventConnections) { self.connections = connections }

  deinit { connections.leave() }
}
