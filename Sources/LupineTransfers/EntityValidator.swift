import FoundationEssentials
import HTTPTypes
import LupineSupport

/// A strong validator that distinguishes two versions of a file: a strong entity tag, or a `Last-Modified` date that is
/// old enough (RFC 9110 sections 8.8 and 13.1.5).
struct EntityValidator: Sendable, Hashable, Codable {
  /// The value for `If-Range`.
  let value: String

  /// Returns `nil` if the response has no strong validator, or is a part that ranges do not continue.
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

  /// Whether a part belongs to the same version; it must repeat the tag, but not the date (RFC 9110 section 15.3.7).
  func agrees(with head: HTTPResponse) -> Bool {
    if value.hasPrefix("\"") { return head.headerFields[.eTag] == value }
    return head.headerFields[.lastModified].map { $0 == value } ?? true
  }

  /// Whether the file had been unchanged for a second when it was sent; a younger date may stand for two versions (RFC
  /// 9110 section 8.8.2.2).
  private static func isOld(_ modified: String, in head: HTTPResponse) -> Bool {
    // The current time matters only for two-digit years.
    let now = Date()
    guard let sent = head.headerFields[.date].flatMap({ HTTPDate.parse($0, now: now) }),
      let changed = HTTPDate.parse(modified, now: now)
    else { return false }
    return sent.timeIntervalSince(changed) >= 1
  }
}
