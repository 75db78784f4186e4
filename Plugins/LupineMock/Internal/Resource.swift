import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineSupport

/// A representation and its validators.
struct Resource: Sendable {
  let data: Data
  let etag: String?
  let lastModified: String?

  static func quoted(_ tag: String) -> String {
    tag.hasPrefix("\"") || tag.hasPrefix("W/\"") ? tag : "\"\(tag)\""
  }

  /// Returns the reply to one request, based on the stub's reply.
  ///
  /// - Parameter now: the server's date.
  func answer(
    _ fields: HTTPFields, method: HTTPRequest.Method, now: Date, with stubbed: MockReply.Part
  ) -> MockReply.Part {
    var part = stubbed
    part.resource = nil
    part.fields[.eTag] = etag
    part.fields[.lastModified] = lastModified
    part.fields[.acceptRanges] = "bytes"
    if !part.fields.contains(.date) { part.fields[.date] = HTTPDate.text(now) }
    if let status = refusal(of: fields, method, now) { return Self.empty(part, status) }
    guard method == .get, let text = fields[.range], let range = ByteRange(text),
      isRangeWanted(fields, sent: part.fields[.date], now)
    else { return part }
    guard let bounds = range.bounds(of: data.count) else {
      part.fields[.contentRange] = "bytes */\(data.count)"
      return Self.empty(part, .rangeNotSatisfiable)
    }
    part.status = .partialContent
    part.fields[.contentRange] = "bytes \(bounds.lowerBound)-\(bounds.upperBound - 1)/\(data.count)"
    part.content = .bytes(data.dropFirst(bounds.lowerBound).prefix(bounds.count))
    return part
  }

  /// Returns the status for a failed precondition, in the order of RFC 9110 section 13.2.2.
  private func refusal(of fields: HTTPFields, _ method: HTTPRequest.Method, _ now: Date) -> HTTPResponse.Status? {
    if let expected = fields[.ifMatch] {
      if !lists(expected, weakly: false) { return .preconditionFailed }
    } else if let changed = changed(after: fields[.ifUnmodifiedSince], now), changed {
      return .preconditionFailed
    }
    let isSafe = method == .get || method == .head
    if let known = fields[.ifNoneMatch] {
      return lists(known, weakly: true) ? (isSafe ? .notModified : .preconditionFailed) : nil
    }
    if isSafe, let changed = changed(after: fields[.ifModifiedSince], now), !changed { return .notModified }
    return nil
  }

  /// Whether the resource has changed since a date; `nil` if one of the two dates is invalid, and then the condition is
  /// ignored.
  private func changed(after text: String?, _ now: Date) -> Bool? {
    guard let since = date(text, now), let modified = date(lastModified, now) else { return nil }
    return modified > since
  }

  private func date(_ text: String?, _ now: Date) -> Date? { text.flatMap { HTTPDate.parse($0, now: now) } }

  private static func empty(_ part: MockReply.Part, _ status: HTTPResponse.Status) -> MockReply.Part {
    var part = part
    part.status = status
    part.content = .bytes(Data())
    part.fields[.contentType] = nil
    return part
  }

  /// Whether a list of entity tags contains the resource's tag (RFC 9110 section 8.8.3.2).
  private func lists(_ tags: String, weakly: Bool) -> Bool {
    if tags == "*" { return true }
    guard let etag else { return false }
    return tags.split(separator: ",").contains { tag in
      let tag = tag.trimmingBlanks()
      return weakly ? Self.opaque(tag) == Self.opaque(etag[...]) : tag == etag && !etag.hasPrefix("W/")
    }
  }

  private static func opaque(_ tag: Substring) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag }

  /// Whether `If-Range` names the current version (RFC 9110 section 13.1.5).
  ///
  /// A date counts if it is at least one second older than the response: two versions may exist within the same second.
  private func isRangeWanted(_ fields: HTTPFields, sent: String?, _ now: Date) -> Bool {
    guard let condition = fields[.ifRange] else { return true }
    guard let named = date(condition, now) else { return condition == etag && !condition.hasPrefix("W/") }
    guard named == date(lastModified, now), let sent = date(sent, now) else { return false }
    return sent.timeIntervalSince(named) >= 1
  }
}
