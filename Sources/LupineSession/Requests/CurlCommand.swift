import HTTPTypes
import LupineCore
import LupineFoundation
import LupineSupport

/// The curl command that repeats a request, for any POSIX shell.
///
/// Secret fields are redacted. So are parameters of the query, of a form or of JSON whose names indicate a secret. The
/// content of a property list is omitted. A long or non-text body is written by `printf`. A body of several parts, such
/// as a form with files, is written by a sequence of commands. A stream is read from curl's standard input. A body of
/// more than 1 MiB in memory gives a command that reports this and fails.
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
    // By default, curl declares every body as a form.
    if body != nil, request.headers[.contentType] == nil { lines.append("--header 'Content-Type:'") }
    if request.headers[.acceptEncoding] != nil { lines.append("--compressed") }
    if let body { lines.append(body) }
    lines.append(Self.quote(request.url.withoutSecrets()))
    return lines.joined(separator: " \\\n  ")
  }

  private func method(hasBody: Bool) -> [String] {
    guard request.method == .head else { return ["--request \(Self.quote(request.method.rawValue))"] }
    guard hasBody else { return ["--head"] }
    // curl refuses `--head` with a body; with `--request HEAD` alone, it waits for a body of the declared length.
    return ["--request 'HEAD' --include", "--ignore-content-length --header 'Connection: close'"]
  }

  static func quote(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
  }
}

extension CurlCommand {
  /// The maximum size in bytes of a text argument; Linux limits an argument to 128 KiB.
  private static let longestArgument = 32 << 10
  /// The maximum size in bytes of a body written by `printf`, a shell built-in without the argument limit.
  private static let longestBody = 1 << 20

  /// The command that writes curl's standard input, and curl's argument for the body.
  var body: (source: String, argument: String?) {
    switch request.body.source {
    case .none: ("", nil)
    case .bytes(let data) where data.count > Self.longestBody: (Self.refusal(of: data.count), Self.fromInput)
    case .bytes(let data): content(data)
    case .file(let path, 0) where request.body.length == nil: ("", "--data-binary \(Self.quote("@" + path))")
    case .file:
      (command(for: RequestBody.Section(request.body.source, length: request.body.length)) + " | ", Self.fromInput)
    case .sequence(let sections): (sequence(sections), Self.fromInput)
    case .stream: ("", Self.fromInput)
    }
  }

  private static let fromInput = "--data-binary @-"

  /// Uses `--data-raw`, because `--data-binary` interprets a leading `@`.
  private func content(_ data: Data) -> (source: String, argument: String) {
    let data = redacted(data)
    guard data.count <= Self.longestArgument, let text = String(validating: data, as: UTF8.self),
      text.escapingControls(indentation: "") == text
    else { return ("\(Self.print(data)) | ", Self.fromInput) }
    return ("", "--data-raw \(Self.quote(text))")
  }

  /// Redacts secret parameters; replaces a property list as a whole.
  private func redacted(_ data: Data) -> Data {
    let type = request.headers[.contentType]?.lowercased() ?? ""
    if type.hasPrefix("application/x-www-form-urlencoded") { return SecretParameters.redact(data) }
    if type.contains("json") { return JSONRedaction.redact(data) }
    return type.contains("plist") ? Self.hidden : Self.redactedByLook(data)
  }

  private static func redactedByLook(_ data: Data) -> Data {
    if JSONRedaction.mayBeJSON(data) { return JSONRedaction.redact(data) }
    return mayBePropertyList(data) ? hidden : data
  }

  private static let hidden = Data(SecretParameters.replacement.utf8)

  /// Whether the bytes begin like a property list in XML or binary format.
  private static func mayBePropertyList(_ data: Data) -> Bool {
    data.starts(with: "bplist".utf8) || String(decoding: data.prefix(1_024), as: UTF8.self).contains("<plist")
  }

  /// The shell command for a body over the limit: reports the limit and prevents curl from running.
  private static func refusal(of count: Int) -> String {
    "{ echo 'A body of \(count) bytes in memory is too large for a command: send it from a file.' >&2; false; } && "
  }

  /// The commands that write the sections in order.
  ///
  /// A stream section is read from the standard input of the command.
  private func sequence(_ sections: [RequestBody.Section]) -> String {
    let flat = Self.flattened(sections)
    let size = flat.reduce(0) { sum, section in
      if case .bytes(let data) = section.source { sum + data.count } else { sum }
    }
    guard size <= Self.longestBody else { return Self.refusal(of: size) }
    return "{ " + flat.map { "\(command(for: $0)); " }.joined() + "} | "
  }

  private static func flattened(_ sections: [RequestBody.Section]) -> [RequestBody.Section] {
    sections.flatMap { section -> [RequestBody.Section] in
      switch section.source {
      case .none: []
      case .sequence(let inner): flattened(inner)
      default: [section]
      }
    }
  }

  private func command(for section: RequestBody.Section) -> String {
    switch section.source {
    case .bytes where section.name.map(SecretParameters.isSecret) == true:
      "printf \(SecretParameters.replacement)"
    case .bytes(let data): Self.print(Self.redactedByLook(data))
    case .file(let path, 0) where section.length == nil: "cat -- \(Self.quote(path))"
    case .file(let path, let offset):
      "tail -c +\(UInt64(clamping: offset) + 1) -- \(Self.quote(path))"
        + (section.length.map { " | head -c \($0)" } ?? "")
    default: "cat"
    }
  }

  /// The `printf` command that writes the bytes.
  private static func print(_ data: Data) -> String {
    var format: [UInt8] = []
    format.reserveCapacity(data.count)
    for byte in data {
      // `printf` treats a leading dash as an option.
      if needsEscape(byte) || format.isEmpty && byte == UInt8(ascii: "-") {
        format += [0x5C, 0x30 + (byte >> 6), 0x30 + (byte >> 3 & 7), 0x30 + (byte & 7)]
      } else {
        format.append(byte)
      }
    }
    return "printf '\(String(decoding: format, as: UTF8.self))'"
  }

  /// Whether the byte has a special meaning in a single-quoted `printf` format or on a terminal.
  private static func needsEscape(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x25, 0x27, 0x5C, ..<0x20, 0x7F...: true
    default: false
    }
  }
}
