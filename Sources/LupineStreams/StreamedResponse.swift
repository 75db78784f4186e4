import HTTPTypes
import LupineCore
import LupineSession
import Synchronization

/// One response of a streamed request: its head, and its body until a reader takes it.
///
/// A stream of events has one of these for each connection, and any other stream has one in all.
final class StreamedResponse: Sendable {
  typealias Opening = Result<HTTPResponse, LupineError>
  typealias Handler = @Sendable (StreamedResponse) -> Void
  private typealias Waiting = (waiters: [UnsafeContinuation<Opening, Never>], handler: Handler?)

  private struct State {
    var opening: Opening?
    var body: ResponseBody?
    var openingWaiters: [UnsafeContinuation<Opening, Never>] = []
    /// The error of the attempt, once it has ended; the inner value is `nil` if it succeeded.
    var end: LupineError??
    var endWaiters: [UnsafeContinuation<LupineError?, Never>] = []
    var onOpening: Handler?

    /// Stores the first opening; returns the waiters.
    mutating func open(_ opening: Opening) -> Waiting {
      guard self.opening == nil else { return ([], nil) }
      self.opening = opening
      defer { (openingWaiters, onOpening) = ([], nil) }
      return (openingWaiters, onOpening)
    }
  }

  private let state = Mutex(State())

  /// Stores a validated response for its reader.
  func open(_ response: TransportResponse) {
    let waiting = state.withLock { state in
      if state.opening == nil { state.body = response.body }
      return state.open(.success(response.head))
    }
    resume(waiting, .success(response.head))
  }

  /// Records that the attempt has ended; a response that has no head yet will have none.
  func end(_ error: LupineError?) {
    let opening = Opening.failure(error ?? LupineError(.other, "The request ended without a response."))
    let (waiting, endWaiters) = state.withLock { state in
      if state.end == nil { state.end = .some(error) }
      defer { state.endWaiters = [] }
      return (state.open(opening), state.endWaiters)
    }
    resume(waiting, opening)
    for waiter in endWaiters { waiter.resume(returning: error) }
  }

  private func resume(_ waiting: Waiting, _ opening: Opening) {
    for waiter in waiting.waiters { waiter.resume(returning: opening) }
    waiting.handler?(self)
  }

  /// Calls the closure when the body can be read or the request has failed.
  ///
  /// No task waits meanwhile, so a request that is never started retains no task.
  func whenOpened(_ handler: @escaping Handler) {
    let isOpen = state.withLock { state in
      if state.opening == nil { state.onOpening = handler }
      return state.opening != nil
    }
    if isOpen { handler(self) }
  }

  /// Waits until the body can be read or the request has failed; returns the head.
  func opening() async -> Opening {
    await withUnsafeContinuation { waiter in
      let opening = state.withLock { state in
        if state.opening == nil { state.openingWaiters.append(waiter) }
        return state.opening
      }
      if let opening { waiter.resume(returning: opening) }
    }
  }

  /// Waits until the attempt has ended; returns its error.
  func ended() async -> LupineError? {
    await withUnsafeContinuation { waiter in
      let end = state.withLock { state in
        if state.end == nil { state.endWaiters.append(waiter) }
        return state.end
      }
      if let end { waiter.resume(returning: end) }
    }
  }

  /// The head, once the body can be read.
  var head: HTTPResponse? { state.withLock { try? $0.opening?.get() } }

  /// Whether the attempt has ended.
  var hasEnded: Bool { state.withLock { $0.end != nil } }

  /// Returns the body for its reader; `nil` if it was taken before or there is none.
  func takeBody() -> ResponseBody? { state.withLock { $0.body.take() } }

  /// Discards a body that will not be read.
  func abandon() { takeBody()?.abandon() }
}
