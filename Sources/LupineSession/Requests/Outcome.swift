package import FoundationEssentials
package import HTTPTypes
package import LupineCore

/// How a request ended, before any serializer saw it.
///
/// Everything stands behind one pointer, so that it is handed on at the cost of one. Nearly every request ends with a
/// response alone, which is such a pointer itself.
package struct Outcome: Sendable {
  private final class Box: Sendable {
    let values: Values

    init(_ values: Values) { self.values = values }
  }

  private struct Values: Sendable {
    var request: OutgoingRequest?
    var response: ReceivedResponse?
    /// What is known of a response that did not arrive whole.
    var head: HTTPResponse?
    var metrics: TransferMetrics?
    var error: LupineError?
    var redirects: [RedirectStep] = []
    var file: URL?
  }

  private enum Storage {
    case response(ReceivedResponse)
    case values(Box)
  }

  private var storage: Storage

  /// A good end.
  init(_ response: ReceivedResponse) { storage = .response(response) }

  package init(
    request: OutgoingRequest? = nil, response: ReceivedResponse? = nil, error: LupineError? = nil, file: URL? = nil
  ) {
    storage = .values(Box(Values(request: request, response: response, error: error, file: file)))
  }

  private mutating func change(_ change: (inout Values) -> Void) {
    var values =
      switch storage {
      case .response(let response): Values(request: response.request, response: response)
      case .values(let box): box.values
      }
    change(&values)
    storage = .values(Box(values))
  }

  /// The request as it was sent last; `nil` where it could not be made.
  package var request: OutgoingRequest? {
    switch storage {
    case .response(let response): response.request
    case .values(let box): box.values.request
    }
  }

  /// The response, where one arrived whole, be it refused by a validator.
  package var response: ReceivedResponse? {
    switch storage {
    case .response(let response): response
    case .values(let box): box.values.response
    }
  }

  /// The head of the response, even if its body did not arrive completely.
  package var head: HTTPResponse? {
    switch storage {
    case .response(let response): response.head
    case .values(let box): box.values.response?.head ?? box.values.head
    }
  }

  /// What the last exchange cost, where a transport got to work.
  package var metrics: TransferMetrics? {
    switch storage {
    case .response(let response): response.metrics
    case .values(let box): box.values.response?.metrics ?? box.values.metrics
    }
  }

  /// The response's status, told without a copy of it.
  var statusCode: Int? {
    switch storage {
    case .response(let response): response.statusCode
    case .values(let box): box.values.response?.statusCode
    }
  }

  /// Why the request failed.
  package var error: LupineError? {
    get { if case .values(let box) = storage { box.values.error } else { nil } }
    set { change { $0.error = newValue } }
  }

  /// The redirects that were followed.
  package var redirects: [RedirectStep] {
    get { if case .values(let box) = storage { box.values.redirects } else { [] } }
    set { change { $0.redirects = newValue } }
  }

  /// Where a download is, once it is complete.
  package var file: URL? {
    get { if case .values(let box) = storage { box.values.file } else { nil } }
    set { change { $0.file = newValue } }
  }
}

extension Outcome {
  /// Adds what is known of the request's last exchange; a response that arrived whole stays.
  mutating func complete(with last: LastExchange) {
    change { values in
      values.request = last.request ?? values.request
      guard values.response == nil else { return }
      values.head = last.head ?? values.head
      values.metrics = last.metrics ?? values.metrics
    }
    if let error { self.error = completed(error) }
  }

  /// Adds to an error what is known of the request; what the error knows already stays.
  func completed(_ error: LupineError) -> LupineError {
    var error = error
    if let request { error = error.about(request.summary) }
    if let head { error = error.about(head) }
    if let metrics { error = error.measured(metrics) }
    return error
  }

  /// Keeps how an earlier attempt ended, where the last one has sent nothing: its failure as the underlying one.
  ///
  /// - Parameter keepingResponse: whether its response is this outcome's, body and all.
  mutating func follow(_ earlier: Outcome, keepingResponse: Bool) {
    change { values in
      values.error = values.error?.following(earlier.error)
      if keepingResponse, values.response == nil { values.response = earlier.response }
    }
  }
}

/// What a request knows of the exchange that it began last.
///
/// The request's state owns it: the head is noted when it is accepted, whatever ends the request afterwards.
package struct LastExchange: Sendable {
  /// The request as it was sent; `nil` where none was.
  package var request: OutgoingRequest?
  /// The final head; `nil` until one has been accepted.
  package var head: HTTPResponse?
  /// What the exchange cost; `nil` until it has ended, and where the transport did not measure it.
  package var metrics: TransferMetrics?

  package init(request: OutgoingRequest? = nil, head: HTTPResponse? = nil, metrics: TransferMetrics? = nil) {
    self.request = request
    self.head = head
    self.metrics = metrics
  }
}
