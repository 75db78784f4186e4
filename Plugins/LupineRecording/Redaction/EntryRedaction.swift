import HTTPTypes
import LupineCore
import LupineFoundation

/// Replaces the secrets of one exchange.
struct EntryRedaction {
  /// The fields with a digest of the body (RFC 9530, RFC 3230 and RFC 1864).
  private static let digests = ["Content-Digest", "Repr-Digest", "Digest", "Content-MD5"].compactMap {
    HTTPField.Name($0)
  }

  static let urlPart = "the request's URL"

  private let rules: SecretRules
  private let number: (FoundSecret, String) -> Int

  /// - Parameter number: returns the number of the placeholder of a secret, whose place is described by the text.
  init(_ rules: SecretRules, number: @escaping (FoundSecret, String) -> Int) {
    self.rules = rules
    self.number = number
  }

  /// The redaction of a live request, whose secrets all have the same placeholder.
  init(live rules: SecretRules) { self.init(rules) { _, _ in Placeholder.anyNumber } }

  func redacted(_ entry: Cassette.Entry) -> Cassette.Entry {
    var entry = entry
    entry.request = redacted(entry.request)
    for index in entry.interim.indices {
      entry.interim[index].head.headerFields = fields(entry.interim[index].head.headerFields, of: "an interim response")
    }
    var isBodyChanged = false
    if let response = entry.response { (entry.response, isBodyChanged) = redacted(response) }
    switch entry.end {
    case .complete(let trailers?):
      var trailers = fields(trailers, of: "the response's trailers")
      if isBodyChanged { Self.digests.forEach { trailers[values: $0] = [] } }
      entry.end = .complete(trailers: trailers)
    case .failed(var failure):
      failure.message = text(failure.message, "the error's message")
      entry.end = .failed(failure)
    case .complete(nil), .stalled: break
    }
    return entry
  }

  func redacted(_ request: Cassette.Request) -> Cassette.Request {
    var request = request
    request.url = url(request.url)
    request.fields = fields(request.fields, of: "the request")
    let (body, redaction) = content(request.body, request.fields[.contentType], "the request's body")
    request.body = body
    if redaction != nil { Self.digests.forEach { request.fields[values: $0] = [] } }
    return request
  }

  /// Returns the response, and whether its body has changed.
  private func redacted(_ response: Cassette.Response) -> (Cassette.Response, isBodyChanged: Bool) {
    var response = response
    response.head.headerFields = fields(response.head.headerFields, of: "the response")
    let type = response.head.headerFields[.contentType]
    let (body, redaction) = content(response.body, type, "the response's body")
    response.body = body
    guard let redaction else { return (response, false) }
    Self.digests.forEach { response.head.headerFields[values: $0] = [] }
    let counts = redaction.counts(response.chunks.map(\.count))
    for (index, count) in counts.enumerated() { response.chunks[index].count = count }
    return (response, true)
  }

  func url(_ url: String) -> String { text(url, Self.urlPart) }

  /// Describes a field, as in `the request's field Cookie`.
  static func place(of name: HTTPField.Name, in part: String) -> String {
    "\(part)\(part.hasSuffix("s") ? "'" : "'s") field \(name)"
  }

  func fields(_ fields: HTTPFields, of part: String) -> HTTPFields {
    HTTPFields(
      fields.map { field in
        let place = Self.place(of: field.name, in: part)
        let bytes = field.withUnsafeBytesOfValue { Array($0) }
        let secrets = rules.secrets(inField: field.name, MappedBytes(bytes)) + rules.secretsByRule(bytes)
        let redacted = redacted(bytes, secrets, place)
        return redacted.isChanged ? HTTPField(name: field.name, lenientValue: redacted.bytes) : field
      })
  }

  private func content(
    _ content: Cassette.Content, _ type: String?, _ place: String
  ) -> (Cassette.Content, RedactedText?) {
    guard case .inline(let data) = content else { return (content, nil) }
    let redacted = body([UInt8](data), contentType: type, place)
    return redacted.isChanged ? (.inline(Data(redacted.bytes)), redacted) : (content, nil)
  }

  func body(_ bytes: [UInt8], contentType: String?, _ place: String) -> RedactedText {
    let named = rules.secrets(inBody: MappedBytes(bytes), contentType: contentType)
    return redacted(bytes, named + rules.secretsByRule(bytes), place)
  }

  /// Returns a text with URLs.
  private func text(_ text: String, _ place: String) -> String {
    let bytes = Array(text.utf8)
    let redacted = redacted(bytes, rules.secretsInURLs(MappedBytes(bytes)) + rules.secretsByRule(bytes), place)
    return redacted.isChanged ? String(decoding: redacted.bytes, as: UTF8.self) : text
  }

  private func redacted(_ bytes: [UInt8], _ secrets: [FoundSecret], _ place: String) -> RedactedText {
    RedactedText(bytes, secrets) { secret in
      if Placeholder.number(of: secret.value) != nil { return secret.value }
      let number = number(secret, place)
      return secret.isNumber ? Placeholder.numberText(number) : Placeholder.text(number)
    }
  }
}
