import LupineCore

/// An exchange on its way to the loop.
final class Submission: Sendable {
  typealias Outcome = Result<TransportResponse, LupineError>
  typealias Continuation = UnsafeContinuation<Outcome, Never>

  let id: UInt64
  let request: OutgoingRequest
  let context: TransferContext
  let continuation: Continuation

  init(id: UInt64, request: OutgoingRequest, context: TransferContext, continuation: Continuation) {
    self.id = id
    self.request = request
    self.context = context
    self.continuation = continuation
  }
}
