public import HTTPTypes
public import LupineCore

/// How a request ended, before serialization.
///
/// `RequestExecution.outcome()` returns it, and completion handlers receive it.
public struct RequestOutcome: Sendable {
  // Stored indirectly, so that a copy is one retain. The common case, a response without further values, needs no box.
  private final class Box: Sendable {
    let values: Values

    init(_ values: Values) { self.values = values }
  }

  private struct Values: Sendable {
    var request: OutgoingRequest?
    var response: ReceivedResponse?
    /// The head and the metrics of a response that did not arrive completely.
    var head: HTTPResponse?
    var metrics: TransferMetrics?
    var attributes = ResponseAttributes()
    var error: LupineError?
    var redirects: [RedirectStep] = []
  }

  private enum Storage {
    case response(ReceivedResponse)
    case values(Box)
  }

  private var storage: Storage

  /// Creates the outcome of a successful request.
  init(_ response: ReceivedResponse) { storage = .response(response) }

  init(
    request: OutgoingRequest? = nil, response: ReceivedResponse? = nil, error: LupineError? = nil
  ) {
    storage = .values(Box(Values(request: request, response: response, error: error)))
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

  /// The request as it was last sent; `nil` if it could not be created.
  public var request: OutgoingRequest? {
    switch storage {
    case .response(let response): response.request
    case .values(let box): box.values.request
    }
  }

  /// The response, if one arrived completely, even if a validator refused it.
  public var response: ReceivedResponse? {
    switch storage {
    case .response(let response): response
    case .values(let box): box.values.response
    }
  }

  /// The head of the response, even if its body did not arrive completely.
  public var head: HTTPResponse? {
    switch storage {
    case .response(let response): response.head
    case .values(let box): box.values.response?.head ?? box.values.head
    }
  }

  /// The metrics of the last exchange, if a transport measured it.
  public var metrics: TransferMetrics? {
    switch storage {
    case .response(let response): response.metrics
    case .values(let box): box.values.response?.metrics ?? box.values.metrics
    }
  }

  /// The attributes that layers and interceptors have set.
  public var attributes: ResponseAttributes {
    switch storage {
    case .response(let response): response.attributes
    case .values(let box): box.values.response?.attributes ?? box.values.attributes
    }
  }

  /// The response's status.
  var statusCode: Int? {
    switch storage {
    case .response(let response): response.statusCode
    case .values(let box): box.values.response?.statusCode
    }
  }

  /// The error of a failed request; `nil` if it succeeded.
  public var error: LupineError? {
    get { if case .values(let box) = storage { box.values.error } else { nil } }
    set { change { $0.error = newValue } }
  }

  /// The redirects that the request followed, in order.
  public internal(set) var redirects: [RedirectStep] {
    get { if case .values(let box) = storage { box.values.redirects } else { [] } }
    set { change { $0.redirects = newValue } }
  }
}

extension RequestOutcome {
  /// Adds the values of the last exchange; a complete response stays unchanged.
  mutating func complete(with last: LastExchange) {
    change { values in
      values.request = last.request ?? values.request
      guard values.response == nil else { return }
      if let head = last.head { (values.head, values.attributes) = (head, last.attributes) }
      values.metrics = last.metrics ?? values.metrics
    }
    if let error { self.error = completed(error) }
  }

  /// Adds the request's values to an error; values that the error already has stay unchanged.
  func completed(_ error: LupineError) -> LupineError {
    var error = error
    if let request { error = error.about(request.summary) }
    if let head { error = error.about(head) }
    if let metrics { error = error.measured(metrics) }
    return error
  }

  /// Adds the outcome of an earlier attempt if the last one sent nothing; its error becomes the underlying error.
  ///
  /// - Parameter keepingResponse: whether to keep the earlier response with its body.
  mutating func follow(_ earlier: RequestOutcome, keepingResponse: Bool) {
    change { values in
      values.error = values.error?.wrapping(earlier.error)
      guard keepingResponse, values.response == nil, let response = earlier.response else { return }
      values.response = response
      if values.redirects.isEmpty { values.redirects = earlier.redirects }
    }
  }
}
