public import FoundationEssentials
import HTTPTypes

extension MockReply {
  /// Bytes as a server of files gives them, with an entity tag and by ranges.
  ///
  /// It answers `Range` with 206 or 416, `If-Range` by comparing strongly, `If-None-Match` with 304, `If-Match` with 412,
  /// and HEAD as GET without the bytes (RFC 9110 sections 13 and 14). A range that is malformed, of another unit, or one
  /// of several is left aside, as a server may. Stub it for both methods:
  ///
  /// ```swift
  /// mock.stub([.get, .head], "/big.bin", .resource(data, etag: "v1"))
  /// ```
  ///
  /// - Parameters:
  ///   - data: the bytes.
  ///   - etag: the entity tag; the quotes are added where they are missing, and `W/"…"` is a weak one. Default: none.
  ///   - lastModified: the value of `Last-Modified`. Default: none.
  ///   - contentType: their media type; `nil` sends none.
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

/// One range of bytes as a request asks for it (RFC 9110 section 14.1.2).
struct ByteRange: Sendable, Hashable {
  private let first: Int?
  private let last: Int?

  init?(_ text: String) {
    guard text.lowercased().hasPrefix("bytes=") else { return nil }
    let parts = text.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } }) else { return nil }
    first = Int(parts[0])
    last = Int(parts[1])
    if first == nil, last == nil { return nil }
    if let first, let last, last < first { return nil }
  }

  /// What it means for so many bytes; nil where it cannot be satisfied.
  func bounds(of count: Int) -> Range<Int>? {
    guard let first else {
      let length = min(last ?? 0, count)
      return length > 0 ? count - length..<count : nil
    }
    guard first < count else { return nil }
    return first..<min(count, (last ?? count - 1) + 1)
  }
}
