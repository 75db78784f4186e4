package import HTTPTypes
package import LupineCore
import LupineSupport

/// What a finished request shows to a debugger, whatever its response was made into; no secret is on it.
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

  /// The request, the redirects and the response's head.
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

  /// The trailers and the metrics.
  package var end: [String] {
    (trailers.map { ["[Trailers]"] + Self.lines(secrets.redact($0)) } ?? []) + ["[Metrics] \(metrics)"]
  }

  /// The value or the error, the first KiB of it.
  package static func result(_ text: String) -> String {
    "[Result] \(text.escapingControls(limit: 1_024, indentation: "    "))"
  }

  private static func lines(_ fields: HTTPFields) -> [String] {
    fields.map { "    \($0.name.rawName): \($0.value.escapingControls())" }
  }
}
