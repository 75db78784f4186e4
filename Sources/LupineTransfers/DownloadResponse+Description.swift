import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineSession
import LupineSupport

extension DownloadResponse: CustomStringConvertible {
  /// The request, the status and the place or the error, on one line.
  public var description: String {
    let head = [request?.summary.description, response.map { "(\($0.status.code))" }].compactMap { $0 }
    let end = fileURL.map { "saved to \($0.path)" } ?? error?.message ?? ""
    return "\(head.joined(separator: " ")): \(end)"
  }
}

extension DownloadResponse: CustomDebugStringConvertible {
  /// The request, the response, the file's place, the metrics and the result.
  ///
  /// Secret fields are redacted and control bytes escaped.
  public var debugDescription: String {
    let page = ExchangePage(
      request: request, redirects: redirects, response: response, trailers: trailers, metrics: metrics,
      secrets: secretFields)
    let place = "[File] \(fileURL?.path.escapingControls() ?? "none")"
    let outcome =
      switch result {
      case .success(let value): "success(\(value))"
      case .failure(let error): "failure(\(error.message))"
      }
    return (page.beginning + [place] + page.end + [ExchangePage.result(outcome)]).joined(separator: "\n")
  }
}

extension DownloadResponse: CustomReflectable {
  /// The parts, their secret fields redacted.
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
