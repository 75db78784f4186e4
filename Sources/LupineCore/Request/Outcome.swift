import FoundationEssentials

/// How a request ended, before any serializer saw it.
///
/// Everything stands behind one pointer, so that it is handed on at the cost of one.
struct Outcome: Sendable {
  private final class Box: Sendable {
    let values: Values

    init(_ values: Values) { self.values = values }
  }

  private struct Values: Sendable {
    var request: OutgoingRequest?
    var response: ReceivedResponse?
    var error: LupineError?
    var redirects: [RedirectStep] = []
    var file: URL?
  }

  private var box: Box

  init(
    request: OutgoingRequest? = nil, response: ReceivedResponse? = nil, error: LupineError? = nil, file: URL? = nil
  ) {
    box = Box(Values(request: request, response: response, error: error, file: file))
  }

  private mutating func change(_ change: (inout Values) -> Void) {
    var values = box.values
    change(&values)
    box = Box(values)
  }

  /// The request as it was sent last; `nil` where it could not be made.
  var request: OutgoingRequest? { box.values.request }

  /// The response, where one arrived whole, be it refused by a validator.
  var response: ReceivedResponse? { box.values.response }

  /// Why the request failed.
  var error: LupineError? {
    get { box.values.error }
    set { change { $0.error = newValue } }
  }

  /// The redirects that were followed.
  var redirects: [RedirectStep] {
    get { box.values.redirects }
    set { change { $0.redirects = newValue } }
  }

  /// Where a download is, once it is complete.
  var file: URL? {
    get { box.values.file }
    set { change { $0.file = newValue } }
  }
}
