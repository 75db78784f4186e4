public import HTTPTypes
public import LupineCore
public import LupineFoundation
public import LupineSession
import LupineSupport

/// How a download ended.
public struct DownloadResponse<Value: Sendable>: Sendable {
  /// The request as it was last sent.
  public let request: OutgoingRequest?
  /// The head of the response, even if its body is incomplete; `nil` if no head arrived.
  public let response: HTTPResponse?
  /// The redirects that were followed, in order.
  public let redirects: [RedirectStep]
  /// The URL of the file, once it is complete.
  public let fileURL: URL?
  /// The trailers, if there are any.
  public let trailers: HTTPFields?
  /// The metrics of the last exchange.
  public let metrics: TransferMetrics
  /// The value or the error.
  public let result: Result<Value, LupineError>
  /// The attributes that layers and interceptors have set, such as whether the response comes from a cache.
  public let attributes: ResponseAttributes
  /// The fields that `debugDescription` and a dump redact.
  let secretFields: SecretFields

  /// The value; `nil` on failure.
  public var value: Value? { try? result.get() }

  /// The error; `nil` on success.
  public var error: LupineError? {
    if case .failure(let error) = result { error } else { nil }
  }

  /// The data that resumes an interrupted download, if the server supports it.
  public var resumeData: Data? { error?.resumeData }
}

extension DownloadResponse {
  /// Returns the response with its value transformed; an error is unchanged.
  public func map<New: Sendable>(_ transform: (Value) -> New) -> DownloadResponse<New> {
    replacing(result.map(transform))
  }

  /// Returns the response with its value transformed, or with the error that the closure throws; an error is unchanged.
  ///
  /// A thrown `LupineError` is kept. Any other error becomes the `underlying` error of a `LupineError` of kind
  /// `serializationFailed`.
  public func tryMap<New: Sendable>(_ transform: (Value) throws -> New) -> DownloadResponse<New> {
    replacing(plain.tryMap(transform).result)
  }

  /// Returns the response with its error transformed; a value is unchanged.
  public func mapError(_ transform: (LupineError) -> LupineError) -> DownloadResponse {
    replacing(result.mapError(transform))
  }

  /// Returns the response with its error replaced by the one that the closure returns or throws; a value is unchanged.
  ///
  /// A thrown error that is no `LupineError` becomes the `underlying` error of a `LupineError` of kind `other`.
  public func tryMapError(_ transform: (LupineError) throws -> LupineError) -> DownloadResponse {
    replacing(plain.tryMapError(transform).result)
  }

  /// The same result as a `DataResponse`, which converts the errors that closures throw.
  private var plain: DataResponse<Value> {
    DataResponse(request: request, response: response, data: nil, result: result)
  }

  private func replacing<New: Sendable>(_ result: Result<New, LupineError>) -> DownloadResponse<New> {
    DownloadResponse<New>(
      request: request, response: response, redirects: redirects, fileURL: fileURL, trailers: trailers,
      metrics: metrics, result: result, attributes: attributes, secretFields: secretFields)
  }
}

extension DownloadResponse {
  init(_ outcome: RequestOutcome, _ file: URL?, _ result: Result<Value, LupineError>, in session: Session) {
    self.init(
      request: outcome.request, response: outcome.head ?? outcome.error?.response,
      redirects: outcome.redirects, fileURL: file, trailers: outcome.response?.trailers,
      metrics: outcome.metrics ?? outcome.error?.metrics ?? TransferMetrics(), result: result,
      attributes: outcome.attributes, secretFields: session.secretFields)
  }
}

extension DownloadResponse where Value == URL {
  init(_ outcome: RequestOutcome, _ file: URL?, in session: Session) {
    let result: Result<URL, LupineError> =
      file.map { .success($0) } ?? .failure(outcome.error ?? Self.missing(from: outcome))
    self.init(outcome, file, result, in: session)
  }

  /// The error for a response without a file, such as 204.
  private static func missing(from outcome: RequestOutcome) -> LupineError {
    guard let response = outcome.response else { return DownloadConsumer.nothingToWrite }
    return DownloadConsumer.nothingToWrite.about(response.request.summary).about(response.head)
      .measured(response.metrics)
  }
}

extension DownloadResponse: ResponseMetadata {}

extension DownloadResponse: CustomStringConvertible {
  /// The request, the status and the file's path or the error, on one line.
  public var description: String {
    let head = [request?.summary.description, response.map { "(\($0.status.code))" }].compactMap { $0 }
    let end = fileURL.map { "saved to \($0.path)" } ?? error?.message ?? ""
    return "\(head.joined(separator: " ")): \(end)"
  }
}

extension DownloadResponse: CustomDebugStringConvertible {
  /// The request, the response, the file's path, the metrics and the result.
  ///
  /// Secret fields are redacted and control bytes are escaped.
  public var debugDescription: String {
    let outcome =
      switch result {
      case .success(let value): "success(\(value))"
      case .failure(let error): "failure(\(error.message))"
      }
    return ExchangeDescription(
      request: request, redirects: redirects, response: response, trailers: trailers, metrics: metrics,
      secrets: secretFields
    ).text(content: ["[File] \(fileURL?.path.escapingControls() ?? "none")"], result: outcome)
  }
}

extension DownloadResponse: CustomReflectable {
  /// The properties, with secret fields redacted.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "request": request as Any, "response": response?.redacted(secretFields) as Any, "redirects": redirects,
        "fileURL": fileURL as Any, "trailers": trailers.map(secretFields.redact) as Any, "metrics": metrics,
        "result": result,
      ])
  }
}

extension DownloadResponse {
  init(
    _ outcome: RequestOutcome, _ consumer: DownloadConsumer, _ serialization: PendingSerialization<Value>,
    in execution: RequestExecution
  ) async {
    let (result, _) = await serialization.result(of: outcome, in: execution)
    self.init(outcome, consumer.file, result, in: execution.session)
  }
}
