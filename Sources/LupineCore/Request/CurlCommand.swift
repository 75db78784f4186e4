import FoundationEssentials
import HTTPTypes

/// The curl command that makes a request, for people to read and to run.
struct CurlCommand: CustomStringConvertible {
  private let request: OutgoingRequest
  private let secrets: SecretFields

  init(_ request: OutgoingRequest, secrets: SecretFields) {
    self.request = request
    self.secrets = secrets
  }

  var description: String {
    var lines = ["curl --globoff"]
    if request.method == .head {
      lines.append("--head")
    } else {
      lines.append("--request \(Self.quote(request.method.rawValue))")
    }
    for field in secrets.redact(request.headers) {
      let text = field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)"
      lines.append("--header \(Self.quote(text))")
    }
    if request.headers[.acceptEncoding] != nil { lines.append("--compressed") }
    if let body { lines.append(body) }
    lines.append(Self.quote(request.url.string))
    return lines.joined(separator: " \\\n  ")
  }

  private var body: String? {
    switch request.body.source {
    case .none: nil
    case .bytes(let data): "--data-binary \(Self.quote(data))"
    case .file(let path, 0): "--data-binary \(Self.quote("@" + path))"
    case .file(let path, let offset): "--data-binary @<(tail -c +\(offset + 1) \(Self.quote(path)))"
    case .stream: "--data-binary @-"
    }
  }

  /// Bytes that are text go between plain quotes, others as escapes that bash and zsh undo.
  private static func quote(_ data: Data) -> String {
    if let text = String(validating: data, as: UTF8.self), !text.utf8.contains(0), !text.hasPrefix("@") {
      return quote(text)
    }
    let escaped = data.map { byte in
      (0x20..<0x7F).contains(byte) && byte != 0x27 && byte != 0x5C ? String(UnicodeScalar(byte)) : octal(byte)
    }
    return "$'\(escaped.joined())'"
  }

  private static func octal(_ byte: UInt8) -> String {
    "\\" + String(byte >> 6) + String(byte >> 3 & 7) + String(byte & 7)
  }

  private static func quote(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
  }
}
