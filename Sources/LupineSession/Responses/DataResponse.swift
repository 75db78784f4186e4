public import FoundationEssentials
public import HTTPTypes
public import LupineCore

/// Everything about a finished request, and the value or the error it came to.
public struct DataResponse<Value: Sendable>: Sendable {
  /// The request that was sent last, after adapters and redirects; `nil` where none could be made.
  public let request: OutgoingRequest?
  /// The head of the response to that request, even if its body did not arrive completely; `nil` where none arrived.
  public let response: HTTPResponse?
  /// The redirects that were followed on the way to the response, in their order.
  public let redirects: [RedirectStep]
  /// The decoded body; `nil` where none arrived.
  public let data: Data?
  /// The trailers, where there were any.
  public let trailers: HTTPFields?
  /// What the last exchange cost; all zero where none began.
  public let metrics: TransferMetrics
  /// How long the serializer took.
  public let serializationDuration: Duration
  /// The value, or why there is none.
  public let result: Result<Value, LupineError>
  /// What `debugDescription` redacts.
  var secretFields = SecretFields.standard

  /// Joins what is known about a finished request.
  public init(
    request: OutgoingRequest?, response: HTTPResponse?, data: Data?, trailers: HTTPFields? = nil,
    metrics: TransferMetrics = TransferMetrics(), redirects: [RedirectStep] = [],
    serializationDuration: Duration = .zero,
    result: Result<Value, LupineError>
  ) {
    self.request = request
    self.response = response
    self.redirects = redirects
    self.data = data
    self.trailers = trailers
    self.metrics = metrics
    self.serializationDuration = serializationDuration
    self.result = result
  }

  /// The value; `nil` where the request failed.
  public var value: Value? { try? result.get() }

  /// The error; `nil` where the request succeeded.
  public var error: LupineError? {
    if case .failure(let error) = result { error } else { nil }
  }
}

extension DataResponse {
  /// Returns the response with its value changed; an error stays.
  public func map<New: Sendable>(_ transform: (Value) -> New) -> DataResponse<New> {
    replacing(result.map(transform))
  }

  /// Returns the response with its value changed, or with what the closure throws; an error stays.
  ///
  /// A `LupineError` is kept as it is; any other error becomes the `underlying` one of kind `serializationFailed`.
  public func tryMap<New: Sendable>(_ transform: (Value) throws -> New) -> DataResponse<New> {
    replacing(result.tryMap(about: request, response, transform))
  }

  /// Returns the response with its error changed; a value stays.
  public func mapError(_ transform: (LupineError) -> LupineError) -> DataResponse {
    replacing(result.mapError(transform))
  }

  /// Returns the response with its error changed into what the closure returns or throws; a value stays.
  ///
  /// A thrown error that is no `LupineError` becomes the `underlying` one of kind `other`.
  public func tryMapError(_ transform: (LupineError) throws -> LupineError) -> DataResponse {
    replacing(result.tryMapError(about: request, response, transform))
  }

  private func replacing<New: Sendable>(_ result: Result<New, LupineError>) -> DataResponse<New> {
    var copy = DataResponse<New>(
      request: request, response: response, data: data, trailers: trailers, metrics: metrics, redirects: redirects,
      serializationDuration: serializationDuration, result: result)
    copy.secretFields = secretFields
    return copy
  }
}
