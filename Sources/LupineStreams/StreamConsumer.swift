import HTTPTypes
import LupineCore
import LupineSession
import Synchronization

/// Passes the body to the reader of the stream once the head has been validated.
///
/// The body refers to the request, and the request refers to this consumer. To avoid a cycle, this object keeps the
/// body only until the reader takes it.
final class StreamConsumer: ResponseHandler {
  typealias Opening = Result<Void, LupineError>
  typealias Starter = @Sendable (StreamConsumer) -> Void

  private struct State {
    var opening: Opening?
    var body: ResponseBody?
    var waiting: [UnsafeContinuation<Opening, Never>] = []
    var starter: Starter?
    var head: HTTPResponse?
    var isTaken = false
  }

  let window: Int
  private let state = Mutex(State())

  init(window: Int) { self.window = window }

  /// The head, once it has been validated.
  var head: HTTPResponse? { state.withLock { $0.head } }

  var takesBodyAtHead: Bool { true }

  func decide(
    _ response: TransportResponse, to request: OutgoingRequest, in settings: DecisionSettings
  ) async throws(LupineError) -> ResponseDecision {
    ResponseDecision(.receive(.stream(window: window), offset: 0))
  }

  func handOver(_ response: TransportResponse) {
    state.withLock { state in
      state.head = response.head
      if state.opening == nil { state.body = response.body }
    }
    open(.success(()))
  }

  func conclude(_ outcome: Outcome) async -> Outcome {
    open(.failure(outcome.error ?? LupineError(.other, "The request ended without a response.")))
    return outcome
  }

  /// Discards a body that will not be read.
  func abandon() { takeBody()?.abandon() }

  /// Returns the body for its reader; `nil` if it was taken before or there is none.
  func takeBody() -> ResponseBody? { state.withLock { $0.body.take() } }

  /// Reserves the body for one reader; returns false if another reader has it.
  func take() -> Bool {
    state.withLock { state in
      defer { state.isTaken = true }
      return !state.isTaken
    }
  }

  /// Calls the closure when the body can be read or the request has failed.
  ///
  /// No task waits meanwhile, so a request that is never started keeps no task alive.
  func whenOpened(_ start: @escaping Starter) {
    let isOpen = state.withLock { state in
      if state.opening == nil { state.starter = start }
      return state.opening != nil
    }
    if isOpen { start(self) }
  }

  /// Waits until the body can be read or the request has failed.
  func opening() async -> Opening {
    await withUnsafeContinuation { reader in
      let opening = state.withLock { state in
        if state.opening == nil { state.waiting.append(reader) }
        return state.opening
      }
      if let opening { reader.resume(returning: opening) }
    }
  }

  private func open(_ opening: Opening) {
    let (waiting, starter) = state.withLock { state in
      guard state.opening == nil else { return ([UnsafeContinuation<Opening, Never>](), nil as Starter?) }
      state.opening = opening
      defer { (state.waiting, state.starter) = ([], nil) }
      return (state.waiting, state.starter)
    }
    for reader in waiting { reader.resume(returning: opening) }
    starter?(self)
  }
}

extension LupineError {
  /// Reports that a stream's body already has a reader.
  static var streamIsTaken: LupineError {
    LupineError(
      .other,
      "The response's body is read already: a stream has one consumer, one handler or one sequence that is iterated once."
    )
  }
}

/// The shared reference of all that can still read a streamed response; its release abandons a body that was not read.
///
/// The request is then cancelled, because otherwise its end would wait for a reader forever.
final class StreamReaders: Sendable {
  let task: RequestExecution
  let consumer: StreamConsumer

  init(_ task: RequestExecution, _ consumer: StreamConsumer) {
    self.task = task
    self.consumer = consumer
  }

  deinit {
    guard consumer.take() else { return }
    // The request owns the closure that is called when its response begins.
    consumer.whenOpened { [weak task] consumer in
      task?.cancel()
      consumer.abandon()
    }
  }
}
