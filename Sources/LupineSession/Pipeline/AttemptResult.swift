import LupineCore

/// How one attempt ended.
struct AttemptResult: Sendable {
  /// The request as the attempt sent it first, before redirects.
  var request: OutgoingRequest
  var outcome: Outcome
  /// Whether the request ends whatever the retriers say.
  var isFinal = false

  /// - Parameter last: the exchange that the attempt began last.
  static func failed(
    _ error: LupineError, request: OutgoingRequest, after last: LastExchange = LastExchange(), isFinal: Bool
  ) -> AttemptResult {
    var outcome = Outcome(request: request, error: error.about(request.summary))
    outcome.complete(with: last)
    return AttemptResult(request: request, outcome: outcome, isFinal: isFinal)
  }
}
