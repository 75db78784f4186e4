import FoundationEssentials
import HTTPTypes

/// A representation and its validators.
struct Resource: Sendable {
  let data: Data
  let etag: String?
  let lastModified: String?

  static func quoted(_ tag: String) -> String {
    tag.hasPrefix("\"") || tag.hasPrefix("W/\"") ? tag : "\"\(tag)\""
  }

  /// The reply to one request, made of the reply as it was stubbed.
  func answer(_ fields: HTTPFields, method: HTTPRequest.Method, with stubbed: MockReply.Part) -> MockReply.Part {
    var part = stubbed
    part.resource = nil
    part.fields[.eTag] = etag
    part.fields[.lastModified] = lastModified
    part.fields[.acceptRanges] = "bytes"
    if let expected = fields[.ifMatch], !lists(expected, weakly: false) { return Self.empty(part, .preconditionFailed) }
    if let known = fields[.ifNoneMatch], lists(known, weakly: true) {
      let isSafe = method == .get || method == .head
      return Self.empty(part, isSafe ? .notModified : .preconditionFailed)
    }
    guard method == .get, isRangeWanted(fields), let text = fields[.range], let range = ByteRange(text) else {
      return part
    }
    guard let bounds = range.bounds(of: data.count) else {
      part.fields[.contentRange] = "bytes */\(data.count)"
      return Self.empty(part, .rangeNotSatisfiable)
    }
    part.status = .partialContent
    part.fields[.contentRange] = "bytes \(bounds.lowerBound)-\(bounds.upperBound - 1)/\(data.count)"
    part.content = .bytes(data.dropFirst(bounds.lowerBound).prefix(bounds.count))
    return part
  }

  private static func empty(_ part: MockReply.Part, _ status: HTTPResponse.Status) -> MockReply.Part {
    var part = part
    part.status = status
    part.content = .bytes(Data())
    part.fields[.contentType] = nil
    return part
  }

  /// Whether a list of entity tags holds this one's (RFC 9110 section 8.8.3.2).
  private func lists(_ tags: String, weakly: Bool) -> Bool {
    if tags == "*" { return true }
    guard let etag else { return false }
    return tags.split(separator: ",").contains { tag in
      let tag = tag.drop { $0 == " " }
      let trimmed = String(tag.reversed().drop { $0 == " " }.reversed())
      return weakly ? Self.opaque(trimmed) == Self.opaque(etag) : trimmed == etag && !etag.hasPrefix("W/")
    }
  }

  private static func opaque(_ tag: String) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...] }

  private func isRangeWanted(_ fields: HTTPFields) -> Bool {
    guard let condition = fields[.ifRange] else { return true }
    return condition == lastModified || condition == etag && !condition.hasPrefix("W/")
  }
}
