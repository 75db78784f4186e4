import FoundationEssentials
import HTTPTypes

/// The curl command that makes a request, for people to read and to run in any POSIX shell.
///
/// Secret fields are redacted, and so are parameters of the query or of a form whose names say that they are secret. A
/// body that is no plain text is made by `printf`; of one that no argument can hold, or that is a stream, the command
/// says where curl reads it: from its standard input.
struct CurlCommand: CustomStringConvertible {
  /// The most bytes of a body that are written out; a command's argument holds 128 KiB on Linux.
  private static let longestBody = 32 << 10

  private let request: OutgoingRequest
  private let secrets: SecretFields

  init(_ request: OutgoingRequest, secrets: SecretFields) {
    self.request = request
    self.secrets = secrets
  }

  var description: String {
    let (source, body) = body
    var lines = [source + "curl --globoff"]
    lines.append(request.method == .head ? "--head" : "--request \(Self.quote(request.method.rawValue))")
    for field in secrets.redact(request.headers) {
      let text = field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value.escapingControls())"
      lines.append("--header \(Self.quote(text))")
    }
    // Left to itself, curl would call any body a form.
    if body != nil, request.headers[.contentType] == nil { lines.append("--header 'Content-Type:'") }
    if request.headers[.acceptEncoding] != nil { lines.append("--compressed") }
    if let body { lines.append(body) }
    lines.append(Self.quote(url))
    return lines.joined(separator: " \\\n  ")
  }

  private var url: String {
    guard let query = request.url.query, let start = request.url.string.firstIndex(of: "?") else {
      return request.url.string
    }
    let fragment = request.url.fragment.map { "#" + $0 } ?? ""
    return request.url.string[...start] + SecretParameters.redact(query) + fragment
  }

  /// What feeds curl's standard input, and curl's own argument.
  private var body: (source: String, argument: String?) {
    switch request.body.source {
    case .none: ("", nil)
    case .bytes(let data) where data.count > Self.longestBody: ("", "--data-binary @-")
    case .bytes(let data): content(data)
    case .file(let path, 0) where request.body.length == nil: ("", "--data-binary \(Self.quote("@" + path))")
    case .file(let path, let offset):
      ("tail -c +\(offset + 1) \(Self.quote(path)) | \(head)", "--data-binary @-")
    case .stream: ("", "--data-binary @-")
    }
  }

  private var head: String { request.body.length.map { "head -c \($0) | " } ?? "" }

  /// `--data-raw`, unlike `--data-binary`, takes an `@` in front as it is.
  private func content(_ data: Data) -> (source: String, argument: String) {
    guard let text = String(validating: data, as: UTF8.self),
      text.escapingControls(indentation: "") == text
    else { return ("printf '\(data.map(Self.printable).joined())' | ", "--data-binary @-") }
    return ("", "--data-raw \(Self.quote(isForm ? SecretParameters.redact(text) : text))")
  }

  private var isForm: Bool {
    request.headers[.contentType]?.lowercased().hasPrefix("application/x-www-form-urlencoded") ?? false
  }

  /// A byte as the format of `printf` has it between single quotes.
  private static func printable(_ byte: UInt8) -> String {
    switch byte {
    case 0x25, 0x27, 0x5C, ..<0x20, 0x7F...: "\\" + String(byte >> 6) + String(byte >> 3 & 7) + String(byte & 7)
    default: String(UnicodeScalar(byte))
    }
  }

  private static func quote(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
  }
}
