import FoundationEssentials
import HTTPTypes
import LupineSupport

/// What tells two versions of a file apart with certainty: a strong entity tag, or a date of change that is old enough
/// (RFC 9110 sections 8.8 and 13.1.5).
struct EntityValidator: Sendable, Hashable, Codable {
  /// The value that `If-Range` takes.
  let value: String

  /// Nil where the response has no strong validator, or is a part that ranges do not continue.
  init?(_ head: HTTPResponse) {
    guard head.headerFields[.contentEncoding] == nil,
      head.headerFields[.acceptRanges]?.lowercased() != "none"
    else { return nil }
    if let tag = head.headerFields[.eTag] {
      guard tag.hasPrefix("\""), tag.utf8.count >= 2, tag.hasSuffix("\"") else { return nil }
      value = tag
    } else if let modified = head.headerFields[.lastModified], Self.isOld(modified, in: head) {
      value = modified
    } else {
      return nil
    }
  }

  /// Whether a part is of the same version: it has to repeat the tag, though not the date (RFC 9110 section 15.3.7).
  func agrees(with head: HTTPResponse) -> Bool {
    if value.hasPrefix("\"") { return head.headerFields[.eTag] == value }
    return head.headerFields[.lastModified].map { $0 == value } ?? true
  }

  /// Whether the file had not changed for a second when it was sent; a younger date may stand for two versions (RFC 9110
  /// section 8.8.2.2).
  private static func isOld(_ modified: String, in head: HTTPResponse) -> Bool {
    // The moment matters for years of two digits alone.
    let now = Date()
    guard let sent = head.headerFields[.date].flatMap({ HTTPDate.parse($0, now: now) }),
      let changed = HTTPDate.parse(modified, now: now)
    else { return false }
    return sent.timeIntervalSince(changed) >= 1
  }
}
