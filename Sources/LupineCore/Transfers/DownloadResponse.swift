public import FoundationEssentials
public import HTTPTypes

/// How a download ended.
public struct DownloadResponse<Value: Sendable>: Sendable, CustomStringConvertible {
  /// The request as it was sent last.
  public let request: OutgoingRequest?
  /// The head of the response.
  public let response: HTTPResponse?
  /// The redirects that were followed on the way to the response, in their order.
  public let redirects: [RedirectStep]
  /// Where the file is, once it is complete.
  public let fileURL: URL?
  /// The trailers, where there were any.
  public let trailers: HTTPFields?
  /// What the last exchange cost.
  public let metrics: TransferMetrics
  /// The value or the error.
  public let result: Result<Value, LupineError>

  /// The value, where there is one.
  public var value: Value? { try? result.get() }

  /// The error, where there is one.
  public var error: LupineError? {
    if case .failure(let error) = result { error } else { nil }
  }

  /// What continues an interrupted download, where the server lets it be continued.
  public var resumeData: Data? { error?.resumeData }

  /// Makes another value of the value; what the closure throws becomes kind `serializationFailed`.
  public func tryMap<Other: Sendable>(_ transform: (Value) throws -> Other) -> DownloadResponse<Other> {
    DownloadResponse<Other>(
      request: request, response: response, redirects: redirects, fileURL: fileURL, trailers: trailers,
      metrics: metrics,
      result: result.flatMap { value in
        do {
          return .success(try transform(value))
        } catch {
          return .failure(
            error as? LupineError
              ?? LupineError(.serializationFailed, "The file could not be read: \(error).", underlying: error))
        }
      })
  }

  /// Makes another value of the value.
  public func map<Other: Sendable>(_ transform: (Value) -> Other) -> DownloadResponse<Other> { tryMap(transform) }

  /// The request, the status and the place or the error, on one line.
  public var description: String {
    let head = [request?.summary.description, response.map { "(\($0.status.code))" }].compactMap { $0 }
    let end = fileURL.map { "saved to \($0.path)" } ?? error?.message ?? ""
    return "\(head.joined(separator: " ")): \(end)"
  }
}

extension DownloadResponse where Value == URL {
  init(_ outcome: Outcome) {
    let missing = LupineError(.fileFailed, "The download ended without a file and without an error.")
    self.init(
      request: outcome.request, response: outcome.response?.head ?? outcome.error?.response,
      redirects: outcome.redirects, fileURL: outcome.file, trailers: outcome.response?.trailers,
      metrics: outcome.response?.metrics ?? outcome.error?.metrics ?? TransferMetrics(),
      result: outcome.file.map { .success($0) } ?? .failure(outcome.error ?? missing))
  }
}
