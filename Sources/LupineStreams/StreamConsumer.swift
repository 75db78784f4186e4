import LupineCore
import LupineSession
import Synchronization

/// Passes each response of a request to the reader of the stream, once its head has been validated.
///
/// The body refers to the request, and the request refers to this consumer. To avoid a cycle, the response keeps the
/// body only until the reader takes it.
final class StreamConsumer: StreamedResponseHandler {
  private struct State {
    var response = StreamedResponse()
    var isTaken = false
    /// The reader's decisions about further responses; `nil` if the request has one response.
    var reconnections: ReconnectionRequests?
    /// The error of the request, once it has ended; the inner value is `nil` if it succeeded.
    var conclusion: LupineError??
  }

  private let window: Int
  private let state = Mutex(State())

  init(window: Int) { self.window = window }

  /// The current response.
  var response: StreamedResponse { state.withLock { $0.response } }

  /// Reserves the body for one reader; returns false if another reader has it.
  func take() -> Bool {
    state.withLock { state in
      defer { state.isTaken = true }
      return !state.isTaken
    }
  }

  /// Returns a body that its reader cannot read.
  func release() { state.withLock { $0.isTaken = false } }

  /// Lets the reader decide whether other responses follow.
  func setReconnections(_ reconnections: ReconnectionRequests) { state.withLock { $0.reconnections = reconnections } }

  /// Lets the request end after its response, also if it waits for a decision of the reader already.
  func endReconnections() { state.withLock { $0.reconnections.take() }?.end() }

  /// Replaces a response that has ended by the next one; if the request has ended meanwhile, that one ends with it.
  func expectNextResponse() {
    let next = StreamedResponse()
    let conclusion = state.withLock { state in
      state.response = next
      return state.conclusion
    }
    if let conclusion { next.end(conclusion) }
  }

  func begin(_ request: OutgoingRequest) async throws(LupineError) -> OutgoingRequest {
    state.withLock { $0.reconnections }?.begin(request) ?? request
  }

  func decide(
    _ response: TransportResponse, to request: OutgoingRequest, in session: Session
  ) async throws(LupineError) -> ResponseDecision {
    ResponseDecision(.receive(.stream(window: window), offset: 0))
  }

  func handOver(_ response: TransportResponse) { self.response.open(response) }

  func followUp(after outcome: RequestOutcome) async -> FollowUp {
    let (response, reconnections) = state.withLock { ($0.response, $0.reconnections) }
    guard let reconnections else { return .end() }
    response.end(outcome.error)
    return await reconnections.decision()
  }

  func conclude(_ outcome: RequestOutcome) async -> RequestOutcome {
    let response = state.withLock { state in
      state.conclusion = .some(outcome.error)
      return state.response
    }
    response.end(outcome.error)
    return outcome
  }
}

extension LupineError {
  /// Reports that a reader cannot have a stream's body.
  static var streamIsTaken: LupineError {
    LupineError(
      .other,
      "The response's body has another reader, or the request had started before its events were asked for: a stream has "
        + "one handler, or one sequence that is iterated once, and a stream of events is made before the request starts."
    )
  }
}

/// The reference that all possible readers of a streamed response share; its release drops a body that was not read.
///
/// The request is then cancelled, because otherwise its end would wait for a reader forever.
final class StreamReaders: Sendable {
  let execution: RequestExecution
  let consumer: StreamConsumer

  init(_ execution: RequestExecution, _ consumer: StreamConsumer) {
    self.execution = execution
    self.consumer = consumer
  }

  deinit {
    guard consumer.take() else { return }
    // The request owns the closure that is called when its response begins.
    consumer.response.whenOpened { [weak execution] response in
      execution?.cancel()
      response.abandon()
    }
  }
}
