package import FoundationEssentials
package import LupineCore

/// Consumes the response of a request: writes it to a file, or hands it over in pieces.
///
/// A request without a handler stores the body in memory. The pipeline calls the methods one after another. An
/// asynchronous method may wait for a disk or for code of the program; no transport waits meanwhile.
package protocol ResponseHandler: AnyObject, Sendable {
  /// Whether the body is handed over once its head has been validated; the request is not retried after that.
  var takesBodyAtHead: Bool { get }

  /// Begins the request, before its first attempt; a cancellation of the request cancels the calling task.
  ///
  /// - Returns: the request of the first attempt.
  /// - Throws: `LupineError` if the request cannot begin; it then ends without an attempt.
  func begin(_ request: OutgoingRequest) async throws(LupineError) -> OutgoingRequest

  /// Returns the request of an attempt, for example one for the rest of a file.
  func prepare(_ request: OutgoingRequest, secrets: SecretFields) async -> OutgoingRequest

  /// Decides about a response whose head is no redirect that is followed and no challenge that is answered.
  ///
  /// The body may still be arriving; it goes nowhere before the decision.
  func decide(
    _ response: TransportResponse, to request: OutgoingRequest, in settings: DecisionSettings
  ) async throws(LupineError) -> ResponseDecision

  /// Hands over a validated response, before any of its body; called if `takesBodyAtHead`.
  func handOver(_ response: TransportResponse)

  /// Drops what it has stored of the last response, because it is refused.
  ///
  /// - Returns: the first bytes of the body; `nil` if they are in the response's data.
  func refuse(limit: Int64) async -> Data?

  /// Checks a complete response; a cancellation of the request cancels the calling task.
  func check(_ response: ReceivedResponse) async throws(LupineError)

  /// Decides whether the request goes on after an attempt that no retrier repeats.
  ///
  /// Called if `takesBodyAtHead`. A cancellation of the request cancels the calling task.
  func followUp(after outcome: Outcome) async -> FollowUp

  /// Converts the outcome to the one that the caller receives.
  func conclude(_ outcome: Outcome) async -> Outcome
}

extension ResponseHandler {
  package var takesBodyAtHead: Bool { false }

  package func begin(_ request: OutgoingRequest) async throws(LupineError) -> OutgoingRequest { request }

  package func prepare(_ request: OutgoingRequest, secrets: SecretFields) async -> OutgoingRequest { request }

  package func handOver(_ response: TransportResponse) {}

  package func refuse(limit: Int64) async -> Data? { nil }

  package func check(_ response: ReceivedResponse) async throws(LupineError) {}

  package func followUp(after outcome: Outcome) async -> FollowUp { .end() }
}

/// What follows an attempt whose response was handed over, such as another connection of a stream of events.
package enum FollowUp: Sendable {
  /// The request ends.
  ///
  /// - error: the error of the request; `nil` means that of the attempt, if it failed.
  /// - reason: why there is no further attempt, for monitors.
  case end(LupineError? = nil, reason: String? = nil)
  /// The request ends because it was cancelled before the handler decided.
  case interrupted
  /// Another attempt follows, whose response is handed over as well.
  case next(OutgoingRequest, after: Duration, reason: String)
}

/// The settings of the session that a handler's decision depends on.
package struct DecisionSettings: Sendable {
  package let limits: Limits
  package let secrets: SecretFields
  package let baseURL: HTTPURL?
}

/// The decision about a response, made at its head.
package struct ResponseDecision: Sendable {
  package enum Step: Sendable {
    /// The body is received.
    ///
    /// - offset: the number of bytes that were there before; the progress of the download starts there.
    case receive(BodySink.Destination, offset: Int64)
    /// The body is discarded, and the request that the closure returns is sent once it has ended.
    ///
    /// A cancellation of the request cancels the closure's task.
    case send(@Sendable () async throws(LupineError) -> OutgoingRequest)
  }

  package var step: Step
  /// The reasons, for the session's monitors.
  package var events: [SessionEvent.Kind]
  /// Whether the response is accepted without a body that exceeds a limit, such as an unread error page.
  package var acceptsLongBody: Bool

  package init(_ step: Step, events: [SessionEvent.Kind] = [], acceptsLongBody: Bool = false) {
    self.step = step
    self.events = events
    self.acceptsLongBody = acceptsLongBody
  }
}
