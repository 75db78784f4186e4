import HTTPTypes
import LupineCore
import LupineFoundation
import LupineSupport
import Synchronization

/// Reads a body in a file beside the cassette, and calls the closure with each piece.
typealias BodyFileReading =
  @Sendable (
    Cassette.FileContent, (UnsafeRawBufferPointer) -> Void
  ) throws(LupineError) -> Void

/// Replaces the secrets of the exchanges of one recording.
///
/// The methods may be called concurrently; they read files, so they must not run on a transport's thread.
final class Redactor: Sendable {
  /// The maximum number of bytes of a body that is redacted.
  ///
  /// A longer one, which is in a file, is only searched: a value with a secret name in it fails the recording.
  static let maximumLength = 16 << 20

  private let redaction: Redaction
  private let placeholders: Mutex<Placeholders>

  /// - Parameter last: the highest number of a placeholder that the cassette has already. Default: none.
  init(_ redaction: Redaction = Redaction(), last: Int = 0) {
    self.redaction = redaction
    placeholders = Mutex(Placeholders(last: last))
  }

  /// Returns the exchange with placeholders.
  ///
  /// The bodies of the entry are in their decoded form. The counts of the chunks follow the new length of the body. The
  /// fields with a digest of a body that changes are left out.
  ///
  /// - Parameters:
  ///   - secretFields: the fields that the session marks as secret.
  ///   - read: reads a body in a file.
  /// - Throws: kind `secretInRecording` if a secret remains, with its place.
  func redacted(
    _ entry: Cassette.Entry, secretFields: SecretFields = .standard, reading read: BodyFileReading
  ) throws(LupineError) -> Cassette.Entry {
    let rules = SecretRules(redaction, secretFields: secretFields)
    try requireReadable(entry.request.body, entry.request.fields, of: "the request's body")
    try requireUncoded(entry.request)
    if let response = entry.response {
      try requireReadable(response.body, response.head.headerFields, of: "the response's body")
    }
    let redaction = EntryRedaction(rules) { [self] secret, place in
      placeholders.withLock { $0.number(of: secret, at: place) }
    }
    let redacted = redaction.redacted(entry)
    let patterns = placeholders.withLock { $0.patterns }
    try EntryScan(rules, patterns).check(redacted, reading: read)
    return redacted
  }

  /// Returns a numbering of the placeholders that this value gave.
  func numbering() -> PlaceholderNumbering {
    PlaceholderNumbering(numeric: placeholders.withLock { $0.numeric })
  }

  /// Throws if the body of a request has a content coding: unlike those of responses, it is recorded as it is sent.
  private func requireUncoded(_ request: Cassette.Request) throws(LupineError) {
    if case .digest = request.body { return }
    guard request.body != .none else { return }
    for coding in CodingNames.names(in: request.fields[values: .contentEncoding].joined(separator: ",")) {
      try requireHarmless(coding: coding, of: "the request's body")
    }
  }

  /// Throws if the character set of a body has no ASCII letters, in which secrets are searched for.
  private func requireReadable(
    _ content: Cassette.Content, _ fields: HTTPFields, of part: String
  ) throws(LupineError) {
    guard content != .none, let charset = fields[.contentType].flatMap(MediaType.init)?.charset?.lowercased() else {
      return
    }
    guard ["utf-16", "utf-32", "utf-7", "ucs-", "iso-10646"].contains(where: charset.hasPrefix) else { return }
    try requireHarmless(coding: charset, of: part)
  }

  /// Throws if a body in a coding or character set that nothing can decode is not named as harmless.
  ///
  /// - Parameter part: the body, such as `the response's body`.
  func requireHarmless(coding: String, of part: String) throws(LupineError) {
    guard !SecretRules(redaction).isHarmless(coding: coding) else { return }
    throw LupineError(
      .secretInRecording,
      "\(part.capitalizingFirst) has the coding \(coding), which is not decoded here, so its secrets cannot be found. "
        + "If it has none, add .harmless(coding: \"\(coding)\") to the redaction.")
  }
}

extension String {
  var capitalizingFirst: String { prefix(1).uppercased() + dropFirst() }
}
