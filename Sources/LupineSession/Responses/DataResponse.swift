public import FoundationEssentials
public import HTTPTypes
public import LupineCore
import LupineSupport

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

  /// The same with these fields redacted.
  public func debugDescription(redacting secrets: SecretFields) -> String {
    let page = ExchangePage(
      request: request, redirects: redirects, response: response, trailers: trailers, metrics: metrics, secrets: secrets
    )
    let lines = page.beginning + bodyLines + page.end + ["[Serialization] \(serializationDuration.milliseconds)"]
    return (lines + [ExchangePage.result(outcome)]).joined(separator: "\n")
  }

  private var bodyLines: [String] {
    guard let data else { return ["[Body] none"] }
    if data.isEmpty { return ["[Body] empty"] }
    // A line that the server wrote is indented, so that it cannot pass for one of ours.
    let text = String(decoding: data.prefix(1_024), as: UTF8.self).escapingControls(indentation: "    ")
    return ["[Body] \(data.count) bytes", "    \(text)\(data.count > 1_024 ? "…" : "")"]
  }
}

extension DataResponse: CustomReflectable {
  /// The parts, their secret fields redacted.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "request": request as Any, "response": response?.redacted(secretFields) as Any, "redirects": redirects,
        "data": data as Any, "trailers": trailers.map(secretFields.redact) as Any, "metrics": metrics, "result": result,
      ])
  }
}

/// What `DataResponse` and `DownloadResponse` do with their results.
extension Result where Failure == LupineError {
  /// The result with its value changed; what the closure throws becomes kind `serializationFailed`, about this request.
  package func tryMap<New>(
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

  /// The result with its error changed; what the closure throws becomes kind `other`, about this request.
  package func tryMapError(
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
