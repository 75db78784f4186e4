public import HTTPTypes
public import LupineCore
import LupineSupport

/// The debug description of a finished request, for responses of any kind; contains no secrets.
///
/// `DataResponse` and `DownloadResponse` have it as their `debugDescription`.
public struct ExchangeDescription: Sendable {
  private let request: OutgoingRequest?
  private let redirects: [RedirectStep]
  private let response: HTTPResponse?
  private let trailers: HTTPFields?
  private let metrics: TransferMetrics
  private let secrets: SecretFields

  /// Makes the description of a request and its response.
  ///
  /// - Parameter secrets: the fields that are redacted, usually `Session.secretFields`.
  public init(
    request: OutgoingRequest?, redirects: [RedirectStep], response: HTTPResponse?, trailers: HTTPFields?,
    metrics: TransferMetrics, secrets: SecretFields
  ) {
    self.request = request
    self.redirects = redirects
    self.response = response
    self.trailers = trailers
    self.metrics = metrics
    self.secrets = secrets
  }

  /// The sections as text, one line below the other; control bytes of `result` are escaped, and it is cut at 1,024
  /// characters.
  ///
  /// - Parameters:
  ///   - content: lines about the body, after the head of the response.
  ///   - notes: lines after the metrics.
  ///   - result: the value or the error, such as `success(…)`.
  public func text(content: [String], notes: [String] = [], result: String) -> String {
    let last = "[Result] \(result.escapingControls(limit: 1_024, indentation: "    "))"
    return (beginning + content + end + notes + [last]).joined(separator: "\n")
  }

  /// The lines of the request, the redirects and the response's head.
  private var beginning: [String] {
    var lines = ["[Request] \(request?.summary.description ?? "none")"]
    if let request {
      lines += Self.lines(secrets.redact(request.headers))
      if !request.body.isNone { lines.append("    body: \(request.body.length.map { "\($0) bytes" } ?? "a stream")") }
    }
    for step in redirects {
      let target = step.response.redacted(secrets).headerFields[.location] ?? ""
      lines.append("[Redirect] \(step) to \(target.escapingControls())")
    }
    lines.append("[Response] \(response.map { "\($0.status)" } ?? "none")")
    if let response { lines += Self.lines(response.redacted(secrets).headerFields) }
    return lines
  }

  /// The lines of the trailers and the metrics.
  private var end: [String] {
    (trailers.map { ["[Trailers]"] + Self.lines(secrets.redact($0)) } ?? []) + ["[Metrics] \(metrics)"]
  }

  private static func lines(_ fields: HTTPFields) -> [String] {
    fields.map { "    \($0.name.rawName): \($0.value.escapingControls())" }
  }
}
