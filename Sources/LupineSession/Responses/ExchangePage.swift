package import HTTPTypes
package import LupineCore
import LupineSupport

/// The debug description of a finished request, independent of the response's type; contains no secrets.
package struct ExchangePage {
  let request: OutgoingRequest?
  let redirects: [RedirectStep]
  let response: HTTPResponse?
  let trailers: HTTPFields?
  let metrics: TransferMetrics
  let secrets: SecretFields

  package init(
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

  /// The lines of the request, the redirects and the response's head.
  package var beginning: [String] {
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
  package var end: [String] {
    (trailers.map { ["[Trailers]"] + Self.lines(secrets.redact($0)) } ?? []) + ["[Metrics] \(metrics)"]
  }

  /// The result section: the value or the error, limited to 1,024 characters.
  package static func result(_ text: String) -> String {
    "[Result] \(text.escapingControls(limit: 1_024, indentation: "    "))"
  }

  private static func lines(_ fields: HTTPFields) -> [String] {
    fields.map { "    \($0.name.rawName): \($0.value.escapingControls())" }
  }
}
