import HTTPTypes
import LupineCore
import LupineSession
import Synchronization

/// The requests of a stream of events, and the decision about the next one.
///
/// The reader of the events decides; the request waits for the decision after each connection.
final class ReconnectionRequests: Sendable {
  private struct State {
    /// The request without the identifier of the last event.
    var request: OutgoingRequest?
    var decision: FollowUp?
    var waiter: UnsafeContinuation<FollowUp, Never>?
  }

  private static let lastEventID = HTTPField.Name("Last-Event-ID")

  private let state = Mutex(State())

  /// The request of the first connection; `nil` before it begins.
  var request: OutgoingRequest? { state.withLock { $0.request } }

  /// The identifier that the program gave in its request.
  static func lastEventID(of request: OutgoingRequest) -> String {
    lastEventID.flatMap { request.headers[$0] } ?? ""
  }

  /// Adds the fields of a request for events (WHATWG HTML, section 9.2.2) and stores the request.
  func begin(_ request: OutgoingRequest) -> OutgoingRequest {
    var request = request
    request.headers[.accept] = request.headers[.accept] ?? "text/event-stream"
    request.headers[.cacheControl] = request.headers[.cacheControl] ?? "no-store"
    state.withLock { $0.request = request }
    return request
  }

  /// Decides that another connection follows, for the events after the identifier.
  func reconnect(after id: String, in delay: Duration, because reason: String) {
    guard var next = request, let name = Self.lastEventID else { return decide(.end()) }
    next.headers[name] = id.isEmpty ? nil : id
    decide(.next(next, after: delay, reason: reason))
  }

  /// Decides that the request ends; see `FollowUp.end`.
  func end(_ error: LupineError? = nil, reason: String? = nil) { decide(.end(error, reason: reason)) }

  private func decide(_ decision: FollowUp) {
    let waiter = state.withLock { state in
      if state.waiter == nil { state.decision = decision }
      return state.waiter.take()
    }
    waiter?.resume(returning: decision)
  }

  /// Waits for the reader's decision, or for a cancellation of the calling task.
  func decision() async -> FollowUp {
    await withTaskCancellationHandler {
      await withUnsafeContinuation { waiter in
        let decision = state.withLock { state in
          if state.decision == nil { state.waiter = waiter }
          return state.decision.take()
        }
        if let decision { waiter.resume(returning: decision) }
      }
    } onCancel: {
      decide(.interrupted)
    }
  }
}
