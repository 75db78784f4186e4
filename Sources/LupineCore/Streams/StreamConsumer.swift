import HTTPTypes
import Synchronization

/// Hands the body to whoever reads the stream, from the moment the head has been validated.
final class StreamConsumer: ResponseConsumer {
  typealias Opened = Result<IncomingBody, LupineError>

  private struct State {
    var opened: Opened?
    var reader: UnsafeContinuation<Opened, Never>?
    var head: HTTPResponse?
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

  /// Waits for the body, or for the reason that there is none.
  func body() async -> Opened {
    await withUnsafeContinuation { reader in
      let opened = state.withLock { state in
        if state.opened == nil { state.reader = reader }
        return state.opened
      }
      if let opened { reader.resume(returning: opened) }
    }
  }

  private func open(_ opened: Opened) {
    let reader = state.withLock { state -> UnsafeContinuation<Opened, Never>? in
      guard state.opened == nil else { return nil }
      state.opened = opened
      defer { state.reader = nil }
      return state.reader
    }
    reader?.resume(returning: opened)
  }
}
