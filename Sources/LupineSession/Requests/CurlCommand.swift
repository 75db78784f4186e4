import HTTPTypes
import LupineCore
import LupineSupport

/// The curl command that makes a request, for people to read and to run in any POSIX shell.
///
/// Secret fields are redacted, and so are parameters of the query, of a form or of JSON whose names say that they are
/// secret; of a property list nothing is shown. A body that is long or no plain text is made by `printf`, and one of
/// several parts, such as a form with files, by the commands that write them one after the other; of a stream the command
/// says where curl reads it: from its standard input. With more than 1 MiB in memory the command says so and fails.
struct CurlCommand: CustomStringConvertible {
  let request: OutgoingRequest
  private let secrets: SecretFields

  init(_ request: OutgoingRequest, secrets: SecretFields) {
    self.request = request
    self.secrets = secrets
  }

  var description: String {
    let (source, body) = body
    var lines = [source + "curl --globoff"]
    lines += method(hasBody: body != nil)
    for field in secrets.redact(request.headers) {
      let text = field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value.escapingControls())"
      lines.append("--header \(Self.quote(text))")
    }
    // Left to itself, curl would call any body a form.
    if body != nil, request.headers[.contentType] == nil { lines.append("--header 'Content-Type:'") }
    if request.headers[.acceptEncoding] != nil { lines.append("--compressed") }
    if let body { lines.append(body) }
    lines.append(Self.quote(request.url.withoutSecrets()))
    return lines.joined(separator: " \\\n  ")
  }

  private func method(hasBody: Bool) -> [String] {
    guard request.method == .head else { return ["--request \(Self.quote(request.method.rawValue))"] }
    guard hasBody else { return ["--head"] }
    // curl refuses `--head` beside a body; told another way, it takes the length in the answer for that of a body to come.
    return ["--request 'HEAD' --include", "--ignore-content-length --header 'Connection: close'"]
  }

  static func quote(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
  }
}
