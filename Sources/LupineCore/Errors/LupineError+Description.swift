public import FoundationEssentials
import HTTPTypes
import LupineSupport

extension LupineError: CustomStringConvertible {
  /// The message, the request and status it belongs to, and the media type and length of `body`.
  public var description: String {
    var text = message
    let separator = message.contains("\n") ? "\n" : " "
    if let request { text += "\(separator)[\(request)]" }
    if let response { text += " [status \(response.status.code)]" }
    if let shape = bodyShape { text += " [body: \(shape)]" }
    return text
  }

  /// What is shown of `body`, such as `application/json, 35 bytes`.
  private var bodyShape: String? {
    guard let body else { return nil }
    let field = response?.headerFields[.contentType]
    let type = field.flatMap { MediaType($0)?.essence }?.escapingControls(limit: 200) ?? "unknown type"
    return "\(type), \(body.count) bytes"
  }
}

extension LupineError: LocalizedError {
  /// The message, which `localizedDescription` returns as well.
  public var errorDescription: String? { message }
}

extension LupineError: CustomReflectable {
  /// The parts, of `body` the media type and the length alone.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "kind": kind, "message": message, "request": request as Any, "response": response as Any,
        "metrics": metrics as Any, "body": bodyShape as Any, "underlying": underlying as Any,
      ])
  }
}
