import FoundationEssentials
import HTTPTypes

extension CurlCommand {
  /// The most bytes of a body that are written out; a command's argument holds 128 KiB on Linux.
  private static let longestBody = 32 << 10

  /// What feeds curl's standard input, and curl's own argument.
  var body: (source: String, argument: String?) {
    switch request.body.source {
    case .none: ("", nil)
    case .bytes(let data) where data.count > Self.longestBody: ("", Self.fromInput)
    case .bytes(let data): content(data)
    case .file(let path, 0) where request.body.length == nil: ("", "--data-binary \(Self.quote("@" + path))")
    case .file: (command(for: Body.Section(request.body.source, length: request.body.length)) + " | ", Self.fromInput)
    case .sequence(let sections): (sequence(sections), Self.fromInput)
    case .stream: ("", Self.fromInput)
    }
  }

  private static let fromInput = "--data-binary @-"

  /// `--data-raw`, unlike `--data-binary`, takes an `@` in front as it is.
  private func content(_ data: Data) -> (source: String, argument: String) {
    guard let text = String(validating: data, as: UTF8.self),
      text.escapingControls(indentation: "") == text
    else { return ("\(Self.print(data)) | ", Self.fromInput) }
    return ("", "--data-raw \(Self.quote(isForm ? SecretParameters.redact(text) : text))")
  }

  private var isForm: Bool {
    request.headers[.contentType]?.lowercased().hasPrefix("application/x-www-form-urlencoded") ?? false
  }

  /// The commands that write one section after the other.
  ///
  /// A stream among them is read from the command's own standard input.
  private func sequence(_ sections: [Body.Section]) -> String {
    let flat = Self.flattened(sections)
    let size = flat.reduce(0) { sum, section in
      if case .bytes(let data) = section.source { sum + data.count } else { sum }
    }
    guard size <= Self.longestBody else { return "" }
    return "{ " + flat.map { "\(command(for: $0)); " }.joined() + "} | "
  }

  private static func flattened(_ sections: [Body.Section]) -> [Body.Section] {
    sections.flatMap { section -> [Body.Section] in
      switch section.source {
      case .none: []
      case .sequence(let inner): flattened(inner)
      default: [section]
      }
    }
  }

  private func command(for section: Body.Section) -> String {
    switch section.source {
    case .bytes where section.name.map(SecretParameters.isSecret) == true: "printf REDACTED"
    case .bytes(let data): Self.print(data)
    case .file(let path, 0) where section.length == nil: "cat -- \(Self.quote(path))"
    case .file(let path, let offset):
      "tail -c +\(UInt64(clamping: offset) + 1) -- \(Self.quote(path))"
        + (section.length.map { " | head -c \($0)" } ?? "")
    default: "cat"
    }
  }

  /// A dash in front would begin an option.
  private static func print(_ data: Data) -> String {
    let dash = data.first == 0x2D ? "\\055" : ""
    return "printf '\(dash + data.dropFirst(dash.isEmpty ? 0 : 1).map(printable).joined())'"
  }

  /// A byte as the format of `printf` has it between single quotes.
  private static func printable(_ byte: UInt8) -> String {
    switch byte {
    case 0x25, 0x27, 0x5C, ..<0x20, 0x7F...:
      "\\" + String(byte >> 6) + String(byte >> 3 & 7) + String(byte & 7)
    default: String(UnicodeScalar(byte))
    }
  }
}
