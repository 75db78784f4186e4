package import FoundationEssentials
package import HTTPTypes
package import LupineCore

/// Consumes the response of a request: writes it to a file, or hands it over in pieces.
///
/// A request without a handler stores the body in memory.
package protocol ResponseHandler: AnyObject, Sendable {
  /// Work before the first attempt; `nil` if there is none.
  ///
  /// The work returns the error if the request cannot start. Cancelling its task ends the work.
  func beginning(_ request: OutgoingRequest) -> (@Sendable () async -> LupineError?)?

  /// Changes the request before each attempt, for example to request the rest of a file.
  func prepare(_ request: OutgoingRequest, secrets: SecretFields) -> OutgoingRequest

  /// Returns the destination of the body, at the final head.
  func destination(
    for head: HTTPResponse, to request: OutgoingRequest, limits: Limits
  ) throws(LupineError) -> BodySink.Destination

  /// Whether a response may lead to another request; if so, `repeating`, `following` and `refreshing` are called.
  var mayLeadOn: Bool { get }

  /// Work at the head before the same request is sent again, as in `beginning`; `nil` if there is none.
  func repeating() -> (@Sendable () async -> LupineError?)?

  /// The request to send instead, if the response cannot be used.
  ///
  /// Called at the head, after `repeating`, while the body may still arrive. The request is sent once the body has
  /// ended.
  func following(_ request: OutgoingRequest) -> OutgoingRequest?

  /// The closure that asks the program for another URL, if the response means that the current one has expired.
  func refreshing(after head: HTTPResponse) -> (@Sendable () async throws -> any URLConvertible)?

  /// Called with the URL that the program returned.
  func refreshed(_ url: HTTPURL)

  /// Called if an interceptor made the response; nothing of it went to the destination of an earlier head.
  func isBypassed()

  /// Whether the response is accepted without a body that exceeds the limit, such as an unread error page.
  func canSpareBody(of head: HTTPResponse) -> Bool

  /// Called with the first bytes of such a body.
  func spared(_ beginning: Data)

  /// The first bytes of the response's body if they are not in its data; `nil` if they are.
  func bodyElsewhere(_ response: ReceivedResponse, limit: Int64) -> Data?

  /// Called when the response is refused, at its head or by a validator, once nothing more of it arrives.
  func isUnwanted()

  /// Removes and returns the decisions made at the last head.
  func takeDecisions() -> [SessionEvent.Kind]

  /// A check before the request ends successfully; `nil` if there is none.
  ///
  /// The check returns the error if it fails. Cancelling its task ends the check.
  func check(_ outcome: Outcome) -> (@Sendable () async -> LupineError?)?

  /// The number of bytes present before the exchange; the progress of the download starts there.
  func base(of head: HTTPResponse) -> Int64

  /// Whether the body is handed over once its head is validated; the request is not retried after that.
  var takesBodyAtHead: Bool { get }

  /// Whether the body has been handed over, so that the request cannot be sent again.
  var hasHandedOver: Bool { get }

  /// Called with the response at its final head, before any of its body is handed over.
  func began(_ response: TransportResponse)

  /// Whether the response had a body, if its data do not show it; `nil` if they do.
  func hasBody(_ response: ReceivedResponse) -> Bool?

  /// Waits until the final head has been validated or the request has ended; called if `takesBodyAtHead`.
  func waitForHead() async

  /// Converts the outcome to the one that the caller receives.
  func conclude(_ outcome: Outcome) -> Outcome
}

extension ResponseHandler {
  package func beginning(_ request: OutgoingRequest) -> (@Sendable () async -> LupineError?)? { nil }

  package func repeating() -> (@Sendable () async -> LupineError?)? { nil }

  package func prepare(_ request: OutgoingRequest, secrets: SecretFields) -> OutgoingRequest { request }

  package var mayLeadOn: Bool { false }

  package func following(_ request: OutgoingRequest) -> OutgoingRequest? { nil }

  package func refreshing(after head: HTTPResponse) -> (@Sendable () async throws -> any URLConvertible)? { nil }

  package func refreshed(_ url: HTTPURL) {}

  package func isBypassed() {}

  package func canSpareBody(of head: HTTPResponse) -> Bool { false }

  package func spared(_ beginning: Data) {}

  package func bodyElsewhere(_ response: ReceivedResponse, limit: Int64) -> Data? { nil }

  package func isUnwanted() {}

  package func takeDecisions() -> [SessionEvent.Kind] { [] }

  package func check(_ outcome: Outcome) -> (@Sendable () async -> LupineError?)? { nil }

  package func base(of head: HTTPResponse) -> Int64 { 0 }

  package var takesBodyAtHead: Bool { false }

  package var hasHandedOver: Bool { false }

  package func began(_ response: TransportResponse) {}

  package func hasBody(_ response: ReceivedResponse) -> Bool? { nil }

  package func waitForHead() async {}

  package func conclude(_ outcome: Outcome) -> Outcome { outcome }
}
