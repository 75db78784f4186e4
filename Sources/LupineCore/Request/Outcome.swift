import FoundationEssentials

/// How a request ended, before any serializer saw it.
///
/// Everything stands behind one pointer, so that it is handed on at the cost of one.
struct Outcome: Sendable {
  private final class Values: Sendable {
    let request: OutgoingRequest?
    let response: ReceivedResponse?
    let error: LupineError?
    let file: URL?

    init(_ request: OutgoingRequest?, _ response: ReceivedResponse?, _ error: LupineError?, _ file: URL?) {
      self.request = request
      self.response = response
      self.error = error
      self.file = file
    }
  }

  private var values: Values

  init(
    request: OutgoingRequest? = nil, response: ReceivedResponse? = nil, error: LupineError? = nil, file: URL? = nil
  ) {
    values = Values(request, response, error, file)
  }

  /// The request as it was sent last; `nil` where it could not be made.
  var request: OutgoingRequest? { values.request }

  /// The response, where one arrived whole, be it refused by a validator.
  var response: ReceivedResponse? { values.response }

  /// Why the request failed.
  var error: LupineError? {
    get { values.error }
    set { values = Values(request, response, newValue, file) }
  }

  /// Where a download is, once it is complete.
  var file: URL? {
    get { values.file }
    set { values = Values(request, response, error, newValue) }
  }
}
