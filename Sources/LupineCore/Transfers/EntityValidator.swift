import HTTPTypes

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
    } else if let modified = head.headerFields[.lastModified], let date = head.headerFields[.date], modified != date {
      value = modified
    } else {
      return nil
    }
  }

  /// Whether a response carries the same validator, or none of that kind.
  func agrees(with head: HTTPResponse) -> Bool {
    let found = value.hasPrefix("\"") ? head.headerFields[.eTag] : head.headerFields[.lastModified]
    return found == nil || found == value
  }
}
