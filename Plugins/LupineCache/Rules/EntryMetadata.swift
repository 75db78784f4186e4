import LupineCore
import LupineFoundation
import LupineSupport

/// The metadata of a stored response: the times, and the users who may receive it.
///
/// It has no secret: credentials and selecting fields are keyed hashes.
struct EntryMetadata: Sendable, Equatable {
  /// The number of users that an entry remembers; a further one replaces the oldest.
  static let maximumUsers = 16

  /// The URL of the request.
  var url: String
  /// When the request was sent.
  var requestTime: Date
  /// When the head arrived.
  var responseTime: Date
  /// The keyed hash of the connection key that the response came over.
  var connection: String
  /// The names of the selecting fields, and their hash.
  var variation: Variation
  var selector: String
  /// The value of `No-Vary-Search`; empty if all of the query matters.
  var search = ""
  /// The hashes of the credentials that the response is for; empty if it is for everyone.
  var credentials: [String]
  /// The part of the content that is stored; `nil` if all of it is.
  var part: ContentPart?

  /// Whether a request with a credential may have the response without a validation.
  func isUsable(with credential: String) -> Bool { credentials.isEmpty || credentials.contains(credential) }

  /// Adds a user to whom the server has validated the response.
  mutating func admit(_ credential: String) {
    guard !isUsable(with: credential) else { return }
    credentials = (credentials + [credential]).suffix(Self.maximumUsers)
  }

  /// The name of the response among those of its URL; each part of a response has its own.
  var variant: String { part.map { "\(wholeVariant) part \($0.range.lowerBound)" } ?? wholeVariant }

  /// The name of the whole response.
  var wholeVariant: String {
    let query = search.isEmpty ? "" : NoVarySearch(search).map { " " + $0.canonical(self.query) } ?? ""
    return [connection, selector, credentials.first ?? "*"].joined(separator: " ") + query
  }

  /// Whether the connection and the selecting fields of a request select the response.
  func isSelected(by request: CacheableRequest, _ hash: KeyedHash) -> Bool {
    guard connection == request.connection else { return false }
    let own = variation.names.isEmpty ? KeyedHash.none : variation.selector(of: request.fields, hash)
    return own == selector
  }

  /// The query of the URL.
  var query: String? { (try? HTTPURL(url))?.query }
}

extension EntryMetadata {
  /// In version 1, responses with a content coding did not vary with `Accept-Encoding`.
  private static let version = "2"

  /// The metadata as the store keeps them: one value a line.
  var data: Data {
    let lines =
      [
        Self.version, url, Self.text(requestTime), Self.text(responseTime), connection,
        variation.names.joined(separator: ","), selector, search, credentials.joined(separator: ","),
      ] + (part.map { [$0.text] } ?? [])
    return Data(lines.joined(separator: "\n").utf8)
  }

  /// Reads stored metadata; `nil` if they are not of this version.
  init?(_ data: Data) {
    let lines = data.withUnsafeBytes { Self.parts(of: $0, between: UInt8(ascii: "\n")) }
    guard 9...10 ~= lines.count, lines[0] == Self.version, let requestTime = Self.date(lines[2]),
      let responseTime = Self.date(lines[3])
    else { return nil }
    self.init(
      url: lines[1], requestTime: requestTime, responseTime: responseTime, connection: lines[4],
      variation: Variation(names: Self.list(lines[5])), selector: lines[6], search: lines[7],
      credentials: Self.list(lines[8]))
    guard lines.count == 10 else { return }
    guard let part = ContentPart(lines[9]) else { return nil }
    self.part = part
  }

  /// Milliseconds since 1970.
  private static func text(_ date: Date) -> String {
    String(Int64(saturating: (date.timeIntervalSince1970 * 1_000).rounded()))
  }

  private static func date(_ text: String) -> Date? {
    Int64(text).map { Date(timeIntervalSince1970: Double($0) / 1_000) }
  }

  private static func list(_ text: String) -> [String] {
    var text = text
    return text.isEmpty ? [] : text.withUTF8 { parts(of: UnsafeRawBufferPointer($0), between: UInt8(ascii: ",")) }
  }

  /// The texts between separators; quicker than `split`, because each hit reads metadata.
  private static func parts(of bytes: UnsafeRawBufferPointer, between separator: UInt8) -> [String] {
    var parts: [String] = []
    var start = 0
    for end in 0...bytes.count where end == bytes.count || bytes[end] == separator {
      parts.append(String(decoding: UnsafeRawBufferPointer(rebasing: bytes[start..<end]), as: UTF8.self))
      start = end + 1
    }
    return parts
  }
}
