import HTTPTypes
import LupineCore
public import LupineFoundation
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
    let isSafe = method == .get || method == .head || method == .query
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

extension MockReply {
  /// A resource as a file server delivers it, with an entity tag and byte ranges.
  ///
  /// The reply answers `Range` with 206 or 416, `If-Range` with a strong comparison, `If-None-Match` and
  /// `If-Modified-Since` with 304, `If-Match` and `If-Unmodified-Since` with 412, and HEAD like GET without the bytes
  /// (RFC 9110 sections 13 and 14). A range that is malformed, has another unit or is one of several is ignored, as a
  /// server may do. A condition with an invalid date is ignored too. Each answer has the session's date as its `Date`,
  /// unless the reply sets another with `field(.date, …)`. Stub it for both methods:
  ///
  /// ```swift
  /// mock.stub([.get, .head], "/big.bin", .resource(data, etag: "v1"))
  /// ```
  ///
  /// - Parameters:
  ///   - data: the bytes.
  ///   - etag: the entity tag; missing quotes are added, and `W/"…"` is a weak tag. Default: none.
  ///   - lastModified: the value of `Last-Modified`, such as `Sun, 06 Nov 1994 08:49:37 GMT`. If it is no date,
  ///     conditions with a date are ignored; `If-Range` accepts it once it is one second old. Default: none.
  ///   - contentType: the media type; `nil` sends none.
  public static func resource(
    _ data: Data, etag: String? = nil, lastModified: String? = nil,
    contentType: String? = "application/octet-stream"
  ) -> MockReply {
    var part = Part(status: .ok, content: .bytes(data))
    part.fields[.contentType] = contentType
    part.resource = Resource(data: data, etag: etag.map(Resource.quoted), lastModified: lastModified)
    return MockReply(part)
  }
}

/// A byte range that a request asks for (RFC 9110 section 14.1.2).
struct ByteRange: Sendable, Hashable {
  private let first: Int?
  private let last: Int?

  init?(_ text: String) {
    guard text.lowercased().hasPrefix("bytes=") else { return nil }
    let parts = text.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } }) else { return nil }
    first = Self.position(parts[0])
    last = Self.position(parts[1])
    if first == nil, last == nil { return nil }
    if let first, let last, last < first { return nil }
  }

  /// Returns the number; a number that is too large is beyond every end.
  private static func position(_ digits: Substring) -> Int? { digits.isEmpty ? nil : Int(digits) ?? .max }

  /// Returns the range within `count` bytes; `nil` if it cannot be satisfied.
  func bounds(of count: Int) -> Range<Int>? {
    guard let first else {
      let length = min(last ?? 0, count)
      return length > 0 ? count - length..<count : nil
    }
    guard first < count else { return nil }
    return first..<min(count - 1, last ?? .max) + 1
  }
}
