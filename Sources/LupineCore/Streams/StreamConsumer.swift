import HTTPTypes
import Synchronization

/// Hands the body to whoever reads the stream, from the moment the head has been validated.
final class StreamConsumer: ResponseConsumer {
  typealias Opened = Result<IncomingBody, LupineError>
  typealias Starter = @Sendable (StreamConsumer) -> Void

  private struct State {
    var opened: Opened?
    var waiting: [UnsafeContinuation<Opened, Never>] = []
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
    state.withLock { $0.head = response.head }
    open(.success(response.body))
  }

  func conclude(_ outcome: Outcome) -> Outcome {
    open(.failure(outcome.error ?? LupineError(.other, "The request ended without a response.")))
    return outcome
  }

  /// Drops what nobody will read.
  func abandon() {
    if case .success(let body) = state.withLock({ $0.opened }) { body.abandon() }
  }

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
      if state.opened == nil { state.starter = start }
      return state.opened != nil
    }
    if isOpen { start(self) }
  }

  /// Waits for the body, or for the reason that there is none.
  func body() async -> Opened {
    await withUnsafeContinuation { reader in
      let opened = state.withLock { state in
        if state.opened == nil { state.waiting.append(reader) }
        return state.opened
      }
      if let opened { reader.resume(returning: opened) }
    }
  }

  private func open(_ opened: Opened) {
    let (waiting, starter) = state.withLock { state in
      guard state.opened == nil else { return ([UnsafeContinuation<Opened, Never>](), nil as Starter?) }
      state.opened = opened
      defer { (state.waiting, state.starter) = ([], nil) }
      return (state.waiting, state.starter)
    }
    for reader in waiting { reader.resume(returning: opened) }
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
