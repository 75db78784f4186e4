import HTTPTypes
import LupineCore
import LupineFoundation
import LupineSession
import LupineSupport

/// The bytes that are stored of a content, if they are not all of it (RFC 9111 section 3.3).
struct ContentPart: Sendable, Equatable {
  /// The positions of the bytes; never empty.
  let range: Range<Int64>
  /// The length of the whole content; `nil` if it is not known.
  let total: Int64?

  init?(_ range: Range<Int64>, of total: Int64?) {
    guard !range.isEmpty, range.lowerBound >= 0, range.upperBound <= total ?? .max else { return nil }
    self.range = range
    self.total = total
  }

  /// Reads `Content-Range` of a 206 (RFC 9110 section 14.4); `nil` if the content has several ranges, another unit, or a
  /// range that is invalid or of an unknown whole.
  init?(of head: HTTPResponse) {
    guard head.status == .partialContent, let content = head.contentRange, let total = content.total else { return nil }
    self.init(content.range, of: total)
  }

  /// Reads a range such as `0-4/10` or `0-4/*`.
  init?(_ text: String) {
    guard let content = ContentRange("bytes " + text) else { return nil }
    self.init(content.range, of: content.total)
  }

  /// The range as `Content-Range` states it.
  var text: String { Self.text(range, of: total) }

  static func text(_ range: Range<Int64>, of total: Int64?) -> String {
    "\(range.lowerBound)-\(range.upperBound - 1)/\(total.map(String.init) ?? "*")"
  }

  var length: Int64 { range.upperBound - range.lowerBound }

  /// Whether the bytes are the whole content.
  var isWhole: Bool { total.map { range == 0..<$0 } ?? false }

  func contains(_ other: Range<Int64>) -> Bool { other.clamped(to: range) == other }
}

/// A validator that proves that two parts are of the same content (RFC 9110 section 8.8.1).
enum StrongValidator: Sendable, Equatable {
  case tag(String)
  case date(String)

  /// Reads the validator of a response; `nil` if it has none that is strong.
  ///
  /// `Last-Modified` counts if there is no entity tag, and if it is at least 60 seconds older than `Date` (RFC 9110
  /// section 8.8.2.2).
  ///
  /// - Parameter now: decides about the century of dates with two digits for the year.
  init?(of fields: HTTPFields, now: Date) {
    if fields.contains(.eTag) {
      guard let tag = EntityTag(of: fields), tag.isStrong else { return nil }
      self = .tag(tag.text)
      return
    }
    guard let modified = FieldDate.date(.lastModified, in: fields, now: now),
      let date = FieldDate.date(.date, in: fields, now: now), date.timeIntervalSince(modified) >= 60,
      let text = fields.singleton(.lastModified)
    else { return nil }
    self = .date(text)
  }

  /// The validator as `If-Range` has it (RFC 9110 section 13.1.5).
  var text: String {
    switch self {
    case .tag(let text), .date(let text): text
    }
  }
}

extension ResponseRecord {
  /// The record of the bytes that arrived before the response broke off.
  ///
  /// `nil` if they could never be completed: without a strong validator, or from a server that accepts no ranges.
  func interrupted(after count: Int64) -> ResponseRecord? {
    guard head.status == .ok, var metadata = EntryMetadata(metadata),
      StrongValidator(of: head.headerFields, now: metadata.responseTime) != nil,
      !ListField.members(head.headerFields[values: .acceptRanges]).contains(where: { $0.lowercased() == "none" })
    else { return nil }
    let first = metadata.part?.range.lowerBound ?? 0
    let total = metadata.part?.total ?? head.headerFields[.contentLength].flatMap { Int64($0) }
    // A server may send more bytes than it has stated.
    let (end, isTooLarge) = first.addingReportingOverflow(count)
    guard !isTooLarge, end > first, let part = ContentPart(first..<end, of: total), !part.isWhole else { return nil }
    metadata.part = part
    var record = self
    record.variant = metadata.variant
    record.metadata = metadata.data
    return record
  }
}
