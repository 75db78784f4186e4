import HTTPTypes
import LupineCore
import LupineSession
import Synchronization

/// Hands the body to whoever reads the stream, from the moment the head has been validated.
///
/// The body leads back to the request, which holds this consumer: so it is kept here only until its reader has it.
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

  func destination(
    for head: HTTPResponse, to request: OutgoingRequest, limits: Limits
  ) throws(LupineError) -> BodySink.Destination {
    .stream(window: window)
  }

  var takesBodyAtHead: Bool { true }

  var hasHandedOver: Bool { head != nil }

  func hasBody(_ response: ReceivedResponse) -> Bool? { true }

  func began(_ response: TransportResponse) {
    state.withLock { state in
      state.head = response.head
      if state.opening == nil { state.body = response.body }
    }
    open(.success(()))
  }

  func conclude(_ outcome: Outcome) -> Outcome {
    open(.failure(outcome.error ?? LupineError(.other, "The request ended without a response.")))
    return outcome
  }

  /// Drops what nobody will read.
  func abandon() { takeBody()?.abandon() }

  /// The body, for the one who reads it; `nil` where it was handed over before, or there is none.
  func takeBody() -> ResponseBody? { state.withLock { $0.body.take() } }

  /// Takes the body for one reader; false where another has it.
  func take() -> Bool {
    state.withLock { state in
      defer { state.isTaken = true }
      return !state.isTaken
    }
  }

  /// Calls the closure of the one who took the body when there is one to read, or the reason that there is none.
  ///
  /// No task waits for that: a request that is never started keeps none.
  func whenOpened(_ start: @escaping Starter) {
    let isOpen = state.withLock { state in
      if state.opening == nil { state.starter = start }
      return state.opening != nil
    }
    if isOpen { start(self) }
  }

  func waitForHead() async { _ = await opening() }

  /// Waits until there is a body to read, or for the reason that there is none.
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
  /// Says that a stream's body has a reader already.
  static var streamIsTaken: LupineError {
    LupineError(
      .other,
      "The response's body is read already: a stream has one consumer, one handler or one sequence that is iterated once."
    )
  }
}

/// Those who may still read a streamed response: once the last of them is gone, a body that nobody has read is given up.
///
/// The request is cancelled then, as by a reader who stops, since its end would wait for a reader for ever.
final class StreamReaders: Sendable {
  let task: RequestExecution
  let consumer: StreamConsumer

  init(_ task: RequestExecution, _ consumer: StreamConsumer) {
    self.task = task
    self.consumer = consumer
  }

  deinit {
    guard consumer.take() else { return }
    // The request itself holds what is called once its response begins.
    consumer.whenOpened { [weak task] consumer in
      task?.cancel()
      consumer.abandon()
    }
  }
}
