public import HTTPTypes
public import LupineCore
public import LupineFoundation
import LupineSupport

/// The response of a finished request, with its metadata and its value or error.
public struct DataResponse<Value: Sendable>: Sendable {
  /// The request that was last sent, after adapters and redirects; `nil` if none could be created.
  public let request: OutgoingRequest?
  /// The head of the response to that request, even if its body did not arrive completely; `nil` if none arrived.
  public let response: HTTPResponse?
  /// The redirects that were followed, in order.
  public let redirects: [RedirectStep]
  /// The decoded body; `nil` if none arrived.
  public let data: Data?
  /// The trailers, if there were any.
  public let trailers: HTTPFields?
  /// The metrics of the last exchange; all zero if none began.
  public let metrics: TransferMetrics
  /// The duration of the serialization.
  public let serializationDuration: Duration
  /// The value or the error.
  public let result: Result<Value, LupineError>
  /// The attributes that layers and interceptors have set, such as whether the response comes from a cache.
  public let attributes: ResponseAttributes
  /// The fields that `debugDescription` redacts.
  var secretFields = SecretFields.standard

  /// Creates a response.
  public init(
    request: OutgoingRequest?, response: HTTPResponse?, data: Data?, trailers: HTTPFields? = nil,
    metrics: TransferMetrics = TransferMetrics(), redirects: [RedirectStep] = [],
    serializationDuration: Duration = .zero,
    result: Result<Value, LupineError>, attributes: ResponseAttributes = ResponseAttributes()
  ) {
    self.request = request
    self.response = response
    self.redirects = redirects
    self.data = data
    self.trailers = trailers
    self.metrics = metrics
    self.serializationDuration = serializationDuration
    self.result = result
    self.attributes = attributes
  }

  /// The value; `nil` if the request failed.
  public var value: Value? { try? result.get() }

  /// The error; `nil` if the request succeeded.
  public var error: LupineError? {
    if case .failure(let error) = result { error } else { nil }
  }
}

extension DataResponse {
  /// Returns the response with a transformed value; an error stays.
  public func map<New: Sendable>(_ transform: (Value) -> New) -> DataResponse<New> {
    replacing(result.map(transform))
  }

  /// Returns the response with a transformed value, or with the error that the closure throws; an error stays.
  ///
  /// A thrown `LupineError` is kept unchanged. Any other error becomes the `underlying` error of a `LupineError` of
  /// kind `serializationFailed`.
  public func tryMap<New: Sendable>(_ transform: (Value) throws -> New) -> DataResponse<New> {
    replacing(result.tryMap(about: request, response, transform))
  }

  /// Returns the response with a transformed error; a value stays.
  public func mapError(_ transform: (LupineError) -> LupineError) -> DataResponse {
    replacing(result.mapError(transform))
  }

  /// Returns the response with the error that the closure returns or throws; a value stays.
  ///
  /// A thrown error that is not a `LupineError` becomes the `underlying` error of a `LupineError` of kind `other`.
  public func tryMapError(_ transform: (LupineError) throws -> LupineError) -> DataResponse {
    replacing(result.tryMapError(about: request, response, transform))
  }

  private func replacing<New: Sendable>(_ result: Result<New, LupineError>) -> DataResponse<New> {
    var copy = DataResponse<New>(
      request: request, response: response, data: data, trailers: trailers, metrics: metrics, redirects: redirects,
      serializationDuration: serializationDuration, result: result, attributes: attributes)
    copy.secretFields = secretFields
    return copy
  }
}

extension DataResponse: CustomStringConvertible {
  /// The request, the status and the result, such as `GET https://example.com/ (200): success(Hello)`.
  public var description: String {
    let status = response.map { " (\($0.status.code))" } ?? ""
    return "\(request?.summary.description ?? "no request")\(status): \(outcome)"
  }

  private var outcome: String {
    switch result {
    case .success(let value): "success(\(value))"
    case .failure(let error): "failure(\(error.message))"
    }
  }
}

extension DataResponse: CustomDebugStringConvertible {
  /// The request, the response, the first KiB of its body, the metrics and the result.
  ///
  /// Secret fields are redacted and control bytes escaped.
  public var debugDescription: String { debugDescription(redacting: secretFields) }

  /// The same description, with the given fields redacted.
  public func debugDescription(redacting secrets: SecretFields) -> String {
    ExchangeDescription(
      request: request, redirects: redirects, response: response, trailers: trailers, metrics: metrics, secrets: secrets
    ).text(
      content: bodyLines, notes: ["[Serialization] \(serializationDuration.milliseconds)"], result: outcome)
  }

  private var bodyLines: [String] {
    guard let data else { return ["[Body] none"] }
    if data.isEmpty { return ["[Body] empty"] }
    // Lines of the body are indented, so that they differ from the lines of the description.
    let text = String(decoding: data.prefix(1_024), as: UTF8.self).escapingControls(indentation: "    ")
    return ["[Body] \(data.count) bytes", "    \(text)\(data.count > 1_024 ? "…" : "")"]
  }
}

extension DataResponse: CustomReflectable {
  /// The properties, with secret fields redacted.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "request": request as Any, "response": response?.redacted(secretFields) as Any, "redirects": redirects,
        "data": data as Any, "trailers": trailers.map(secretFields.redact) as Any, "metrics": metrics, "result": result,
      ])
  }
}

extension Result where Failure == LupineError {
  /// The result with a transformed value; an error that the closure throws becomes kind `serializationFailed`.
  fileprivate func tryMap<New>(
    about request: OutgoingRequest?, _ head: HTTPResponse?, _ transform: (Success) throws -> New
  ) -> Result<New, LupineError> {
    flatMap { value in
      do {
        return .success(try transform(value))
      } catch {
        let message = "The value could not be transformed: \(error)."
        return .failure(Self.wrapping(error, .serializationFailed, message, request, head))
      }
    }
  }

  /// The result with a transformed error; an error that the closure throws becomes kind `other`.
  fileprivate func tryMapError(
    about request: OutgoingRequest?, _ head: HTTPResponse?, _ transform: (LupineError) throws -> LupineError
  ) -> Self {
    mapError { error in
      do {
        return try transform(error)
      } catch let thrown {
        return Self.wrapping(thrown, .other, "The error could not be transformed: \(thrown).", request, head)
      }
    }
  }

  private static func wrapping(
    _ error: any Error, _ kind: LupineError.Kind, _ message: String, _ request: OutgoingRequest?, _ head: HTTPResponse?
  ) -> LupineError {
    var wrapped = error as? LupineError ?? LupineError(kind, message, underlying: error)
    if let request { wrapped = wrapped.about(request.summary) }
    if let head { wrapped = wrapped.about(head) }
    return wrapped
  }
}
