import FoundationEssentials
import HTTPTypes
public import LupineCore
import LupineSupport

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
