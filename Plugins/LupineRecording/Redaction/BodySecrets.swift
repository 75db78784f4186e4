import LupineCore
import LupineFoundation
import LupineSupport

/// The kind of a body, by which secrets are found in it and two bodies are compared.
enum BodyKind: Equatable {
  case json
  case form
  case eventStream
  case multipart(boundary: String)
  /// Text of another kind.
  case text
  /// Bytes of which no structure is known.
  case other

  /// - Parameter contentType: the value of the field `Content-Type`.
  init(contentType: String?) {
    guard let contentType, let type = MediaType(contentType) else {
      self = .other
      return
    }
    switch type.essence.lowercased() {
    case "application/x-www-form-urlencoded": self = .form
    case "text/event-stream": self = .eventStream
    case let essence where essence.hasPrefix("multipart/"):
      self = type["boundary"].map { $0.isEmpty ? .other : .multipart(boundary: $0) } ?? .other
    case let essence where type.isJSON || essence.contains("json"): self = .json
    case let essence where essence.hasPrefix("text/") || essence.contains("xml") || essence.contains("javascript"):
      self = .text
    default: self = .other
    }
  }

  /// Whether secrets have names in such a body, so that a body that is too long for a search may not be recorded unseen.
  var hasNames: Bool { self != .text && self != .other }
}

extension SecretRules {
  /// The maximum number of texts inside each other that are searched, such as JSON in a form in a part of a body.
  static let maximumNesting = 4

  /// The secrets of a body that have a name, in any order.
  ///
  /// The bytes count more than the type: many servers send JSON as text.
  func secrets(inBody body: MappedBytes, contentType: String?, nesting: Int = 0) -> [FoundSecret] {
    let json = JSONSecrets.isLikely(body) ? JSONSecrets.find(self, in: body) : []
    return switch BodyKind(contentType: contentType) {
    case .json: json.isEmpty ? JSONSecrets.find(self, in: body) : json
    case .form: json + secrets(inForm: body.trimmed)
    case .eventStream: json + EventStreamSecrets.find(self, in: body)
    case .multipart(let boundary) where nesting < Self.maximumNesting:
      json + secrets(inMultipart: body, boundary: boundary, nesting: nesting)
    case .multipart, .text, .other: JSONSecrets.isLikely(body) ? json : secrets(inText: body)
    }
  }

  /// The secrets of a text, which is a form if it looks like one.
  private func secrets(inText body: MappedBytes) -> [FoundSecret] {
    let trimmed = body.trimmed
    guard trimmed.bytes.contains(UInt8(ascii: "=")), !trimmed.bytes.contains(where: { $0 <= 0x20 || $0 >= 0x7F }) else {
      return secretsInURLs(body)
    }
    return secrets(inForm: trimmed)
  }

  /// The secrets that the program's rules find in a text, in UTF-8.
  func secretsByRule(_ bytes: [UInt8]) -> [FoundSecret] {
    guard !redaction.finders.isEmpty, let text = String(validating: bytes, as: UTF8.self) else { return [] }
    return redaction.finders.flatMap { $0(text) }.flatMap { range -> [FoundSecret] in
      // The closure may return places of another text.
      guard range.lowerBound >= text.startIndex, range.upperBound <= text.endIndex else { return [] }
      let start = text.utf8.distance(from: text.startIndex, to: range.lowerBound)
      let end = text.utf8.distance(from: text.startIndex, to: range.upperBound)
      return secret(MappedBytes(bytes).part(start..<max(start, end)))
    }
  }
}
