import HTTPTypes
import LupineCore
import LupineFoundation

/// Searches an exchange, whose secrets are replaced, for secrets at places that no rule names.
struct EntryScan {
  private let rules: SecretRules
  private let patterns: SecretPatterns

  init(_ rules: SecretRules, _ patterns: SecretPatterns) {
    self.rules = rules
    self.patterns = patterns
  }

  /// A secret that is left, with its part of the exchange.
  struct Finding: Equatable {
    let part: String
    let secret: SecretFinding

    /// The finding as a sentence, without its end.
    var sentence: String { "\(part.capitalizingFirst) contains \(secret.meaning) from byte \(secret.byte) on" }
  }

  /// Throws the first finding.
  func check(_ entry: Cassette.Entry, reading read: BodyFileReading) throws(LupineError) {
    guard let found = try finding(in: entry, reading: read) else { return }
    throw LupineError(
      .secretInRecording,
      "The exchange \(entry.request.method) \(Self.shown(entry.request.url, found)) is not recorded. \(found.sentence). "
        + "If it is a secret, name its place with .redacting(…); if it is none, name the text with .harmless(…).")
  }

  /// The URL for a message; only its origin if it has the secret.
  private static func shown(_ url: String, _ found: Finding) -> String {
    guard let url = try? HTTPURL(url) else { return "of a URL that is not valid" }
    return found.part == EntryRedaction.urlPart ? "\(url.origin)" : url.withoutSecrets()
  }

  func finding(in entry: Cassette.Entry, reading read: BodyFileReading) throws(LupineError) -> Finding? {
    let request = entry.request
    if let found = text(request.url, EntryRedaction.urlPart) ?? fields(request.fields, "the request") { return found }
    if let found = try body(request.body, request.fields, "the request's body", read) { return found }
    for interim in entry.interim {
      if let found = fields(interim.head.headerFields, "an interim response") { return found }
    }
    if let response = entry.response {
      let head = response.head
      let found = text(head.status.reasonPhrase, "the response's reason") ?? fields(head.headerFields, "the response")
      if let found { return found }
      if let found = try body(response.body, head.headerFields, "the response's body", read) { return found }
    }
    switch entry.end {
    case .complete(let trailers?): return fields(trailers, "the response's trailers")
    case .failed(let failure): return text(failure.message, "the error's message")
    case .complete(nil), .stalled: return nil
    }
  }

  private func text(_ text: String, _ part: String) -> Finding? { bytes(Array(text.utf8), part) }

  private func fields(_ fields: HTTPFields, _ part: String) -> Finding? {
    for field in fields {
      let place = EntryRedaction.place(of: field.name, in: part)
      let found = bytes(field.withUnsafeBytesOfValue { Array($0) }, place)
      if let found { return found }
    }
    return nil
  }

  private func bytes(_ bytes: [UInt8], _ part: String) -> Finding? {
    SecretScanner.find(bytes, patterns, rules).map { Finding(part: part, secret: $0) }
  }

  private func body(
    _ content: Cassette.Content, _ fields: HTTPFields, _ part: String, _ read: BodyFileReading
  ) throws(LupineError) -> Finding? {
    switch content {
    case .none, .digest: return nil
    case .inline(let data): return bytes([UInt8](data), part)
    case .file(let file):
      var scanner = SecretScanner(patterns, rules, findsNames: BodyKind(contentType: fields[.contentType]).hasNames)
      try read(file) { scanner.feed($0) }
      scanner.finish()
      return scanner.finding.map { Finding(part: part, secret: $0) }
    }
  }
}
