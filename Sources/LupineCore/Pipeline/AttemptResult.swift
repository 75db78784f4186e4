/// How one attempt ended.
struct AttemptResult: Sendable {
  /// The request as the attempt sent it first, before redirects.
  var request: OutgoingRequest
  var outcome: Outcome
  /// Whether the request ends whatever the retriers say.
  var isFinal = false

  static func failed(_ error: LupineError, request: OutgoingRequest, isFinal: Bool) -> AttemptResult {
    AttemptResult(
      request: request, outcome: Outcome(request: request, error: error.about(request.summary)), isFinal: isFinal)
  }
}
