package import FoundationEssentials
package import HTTPTypes
package import LupineCore

/// What a kind of request does with its response: writes it to a file, or hands it on piece by piece.
///
/// A request without one gathers the body in memory, and asks nobody at any step.
package protocol ResponseHandler: AnyObject, Sendable {
  /// What is to be done before the first attempt, and says why the request ends where it cannot be done; `nil` where
  /// nothing is to be done. A cancellation of the task it runs in ends it.
  func beginning(_ request: OutgoingRequest) -> (@Sendable () async -> LupineError?)?

  /// Changes the request before each attempt, as by asking for the rest of a file.
  func prepare(_ request: OutgoingRequest, secrets: SecretFields) -> OutgoingRequest

  /// Decides at the final head where the body goes.
  func destination(
    for head: HTTPResponse, to request: OutgoingRequest, limits: Limits
  ) throws(LupineError) -> BodySink.Destination

  /// Whether a response may lead it to another request, so that `repeating`, `following` and `refreshing` are
  /// asked.
  var mayLeadOn: Bool { get }

  /// What is to be done at a head before the same request is sent again, as by `beginning`; `nil` where nothing is.
  func repeating() -> (@Sendable () async -> LupineError?)?

  /// The request to send instead, where the response is of no use; asked at the head, after `repeating`, while the body
  /// may still come. It is sent once the body has ended.
  func following(_ request: OutgoingRequest) -> OutgoingRequest?

  /// What asks the program for another URL, where the response says that the request's is of no use any more.
  func refreshing(after head: HTTPResponse) -> (@Sendable () async throws -> any URLConvertible)?

  /// Hears of the URL that the program gave.
  func refreshed(_ url: HTTPURL)

  /// Hears that the response is one that an interceptor made: none of it went to the destination of a head so far.
  func isBypassed()

  /// Whether the response counts without a body that is over the limit, as the status of a page that nobody wants does.
  func canSpareBody(of head: HTTPResponse) -> Bool

  /// Hears the first bytes of such a body.
  func spared(_ beginning: Data)

  /// The first bytes of the response's body where they are not in its data; `nil` where they are.
  func bodyElsewhere(_ response: ReceivedResponse, limit: Int64) -> Data?

  /// Hears that the response was refused, at its head or by a validator, once nothing more of it comes.
  func isUnwanted()

  /// What was decided at the last head, once.
  func takeDecisions() -> [SessionEvent.Kind]

  /// What looks at what has arrived before the request ends well, and says why it does not; `nil` where nothing is to be
  /// looked at. A cancellation of the task it runs in ends it.
  func check(_ outcome: Outcome) -> (@Sendable () async -> LupineError?)?

  /// What the download's progress counts from: bytes that were there before the exchange.
  func base(of head: HTTPResponse) -> Int64

  /// Whether the body is handed on as soon as its head has been validated; such a request is not retried from then on.
  var takesBodyAtHead: Bool { get }

  /// Whether someone has the body already, so that the request cannot be sent again.
  var hasHandedOver: Bool { get }

  /// Hears of the final head before any of its body is handed over, and of how to reach the body.
  func began(_ response: TransportResponse)

  /// Whether the response had a body, where its data do not tell; `nil` where they do.
  func hasBody(_ response: ReceivedResponse) -> Bool?

  /// Waits until the final head has been validated or the request has ended; asked where `takesBodyAtHead`.
  func waitForHead() async

  /// Makes of the outcome what the caller gets.
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
