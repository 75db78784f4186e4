import LupineCore
import LupineFoundation
import LupineSupport

/// Describes a body that is not in the format that its decoder expects.
///
/// The description quotes bytes of the body only if they are outside every JSON value and do not look like a secret.
struct UnexpectedBody {
  /// The number of bytes that are quoted.
  private static let quotedCount = 48

  private let data: Data
  /// The `Content-Type` field of the response, empty if it has none; `nil` without a response.
  private let contentType: String?

  init(_ data: Data, contentType: String?) {
    self.data = data
    self.contentType = contentType
  }

  /// Describes the place at which JSON is violated, the body, its content type, and what to check.
  func description(of fault: JSONSyntax.Fault) -> String {
    [place(fault), shape(quotingFrom: fault.isOutside ? fault.position : nil), named, advice(fault)]
      .compactMap { $0 }.joined(separator: " ")
  }

  /// Describes HTML that a decoder of any format has refused; `nil` for any other body.
  var descriptionOfHTML: String? {
    guard isHTML else { return nil }
    return [shape(quotingFrom: 0), named, Self.adviceForHTML].compactMap { $0 }.joined(separator: " ")
  }

  private func place(_ fault: JSONSyntax.Fault) -> String {
    guard fault.position < data.count else { return "Byte \(fault.position) \(fault.reason)." }
    let byte = data[data.startIndex + fault.position]
    let shown = 0x21..<0x7F ~= byte ? "`\(Character(Unicode.Scalar(byte)))`" : Self.hexadecimal([byte])
    return "Byte \(fault.position) (\(shown)) \(fault.reason)."
  }

  /// The type and the length of the body, and the bytes at that position, if they can be shown.
  private func shape(quotingFrom position: Int?) -> String {
    let text = "The body has \(data.count) bytes" + (kind.map { " and looks like \($0)" } ?? "")
    guard let position, let quoted = quoted(from: position) else { return text + "." }
    return text + (position == 0 ? "; it begins with \(quoted)." : "; at byte \(position) stands \(quoted).")
  }

  private var named: String? {
    guard let contentType else { return nil }
    return contentType.isEmpty
      ? "The response names no content type."
      : "The response names the content type `\(contentType.escapingControls(limit: 100))`."
  }
}

/// Recognizes the kind of the body.
extension UnexpectedBody {
  /// The first bytes, in lower case and without white space before them.
  private var beginning: String {
    let text = data.starts(with: ByteOrderMark.utf8.bytes) ? data.dropFirst(3) : data
    return String(decoding: text.prefix(512).drop { $0 <= 0x20 }.prefix(128), as: UTF8.self).lowercased()
  }

  private var isHTML: Bool {
    ["<!doctype html", "<html", "<head", "<body", "<!--", "<br", "<b>", "<p>", "<div", "<title", "<h1", "<script"]
      .contains(where: beginning.hasPrefix)
  }

  private var isMessageOfPHP: Bool {
    ["warning", "notice", "deprecated", "fatal error", "parse error"].contains { word in
      beginning.hasPrefix("\(word): ") || beginning.hasPrefix("php \(word): ") || beginning.contains("<b>\(word)</b>:")
    }
  }

  private var isJSONP: Bool {
    guard let parenthesis = beginning.firstIndex(of: "(") else { return false }
    var name = beginning[..<parenthesis]
    if name.hasPrefix("/**/") { name = name.dropFirst(4).drop { $0 == " " } }
    return !name.isEmpty && name.allSatisfy { $0.isLetter || $0.isNumber || "_$.[]\"'".contains($0) }
      && !name.contains { "\"'".contains($0) && name.first == $0 }
  }

  private var isCompressed: Bool { data.starts(with: [0x1F, 0x8B]) || data.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) }

  private var isBinary: Bool {
    data.prefix(128).contains { $0 < 0x20 && !(0x09...0x0D).contains($0) && $0 != 0x1B }
  }

  private var kind: String? {
    if isMessageOfPHP { return "a message of PHP" }
    if isHTML { return "HTML" }
    if beginning.hasPrefix("<") { return "XML" }
    if isJSONP { return "JSONP" }
    if isCompressed { return "compressed data without a content coding" }
    return isBinary ? "binary data" : nil
  }

  private static let adviceForHTML =
    "Check the URL, whether a proxy, a login page or an error page answered, and whether the request names the format "
    + "in `Accept`."

  private func advice(_ fault: JSONSyntax.Fault) -> String? {
    if isMessageOfPHP { return "Turn off `display_errors` on the server." }
    if isHTML { return Self.adviceForHTML }
    if beginning.hasPrefix(")]}'") { return "Use the preprocessor `.googleXSSI` if the prefix `)]}',` is intended." }
    if isJSONP { return "Request JSON without the parameter that names a callback." }
    guard fault.isOutside, fault.position > 0, fault.position < data.count else { return nil }
    let next = data[data.startIndex + fault.position]
    return [UInt8(ascii: "{"), UInt8(ascii: "[")].contains(next)
      ? "Read several JSON values, one in each line, with `serializingDecodableLines`." : nil
  }
}

/// Chooses the bytes to show.
extension UnexpectedBody {
  /// Returns the bytes from a position up to the next JSON value; `nil` if there is none or it may be a secret.
  private func quoted(from position: Int) -> String? {
    let bytes = data.dropFirst(position).prefix(Self.quotedCount)
    if bytes.isEmpty { return nil }
    if isBinary { return Self.hexadecimal(bytes.prefix(8)) }
    // A JSON value or a quoted text is data, also behind a prefix.
    let shown = bytes.prefix { !#"{[""#.utf8.contains($0) }
    // A word that the limit cuts is checked as a whole.
    let word = data[shown.endIndex...].prefix(128).prefix { Self.isWord($0) }
    guard !shown.isEmpty, !Self.mayContainSecret(String(decoding: shown + word, as: UTF8.self)) else { return nil }
    let text = String(decoding: shown, as: UTF8.self).escapingControls()
    return "`\(text)\(position + shown.count < data.count ? "…" : "")`"
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    byte.isDigit || byte.isLetter || "-_.+/=~%".utf8.contains(byte)
  }

  /// Whether a text has the name of a secret, or a word that is long enough for a token and has a digit.
  private static func mayContainSecret(_ text: String) -> Bool {
    text.split { $0.asciiValue.map { !isWord($0) } ?? true }.contains { word in
      if word.utf8.count >= 16, word.utf8.contains(where: \.isDigit) { return true }
      return word.split(whereSeparator: { "=%/~+".contains($0) }).contains { SecretParameters.isSecret(String($0)) }
    }
  }

  private static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { "0x\(Hexadecimal.text($0, digits: 2).uppercased())" }.joined(separator: " ")
  }
}
