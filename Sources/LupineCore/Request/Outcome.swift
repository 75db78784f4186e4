import FoundationEssentials

/// How a request ended, before any serializer saw it.
struct Outcome: Sendable {
  /// The request as it was sent last; `nil` where it could not be made.
  var request: OutgoingRequest?
  /// The response, where one arrived whole, be it refused by a validator.
  var response: ReceivedResponse?
  /// Why the request failed.
  var error: LupineError?
  /// The redirects that were followed.
  var redirects: [RedirectStep] = []
  /// Where a download is, once it is complete.
  var file: URL?
}
