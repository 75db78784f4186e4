public import HTTPTypes
import LupineSupport

/// The byte range of partial content (RFC 9110 section 14.4).
public struct ContentRange: Sendable, Hashable {
  /// The position of the first byte, and the position after the last one.
  public let range: Range<Int64>
  /// The total length in bytes; `nil` if the sender does not know it.
  public let total: Int64?

  /// Parses a field's value such as `bytes 0-499/1234` or `bytes 0-499/*`.
  ///
  /// `nil` for any other value: another unit, numbers that overflow, or a range that is empty or outside the total.
  public init?(_ text: String) {
    let words = text.split(separator: " ", omittingEmptySubsequences: true)
    guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
    let halves = words[1].split(separator: "/", omittingEmptySubsequences: false)
    guard halves.count == 2 else { return nil }
    let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]), first <= last, last < .max
    else { return nil }
    let total = Self.number(halves[1])
    guard total != nil || halves[1] == "*", last < total ?? .max else { return nil }
    range = first..<last + 1
    self.total = total
  }

  /// Whether the range is the whole content; `false` if the total length is unknown.
  public var isWhole: Bool { total.map { range == 0..<$0 } ?? false }

  private static func number(_ text: Substring) -> Int64? {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(text) : nil
  }
}

extension HTTPResponse {
  /// The range of the body; `nil` if the field is missing, invalid, not in bytes, or has two different values.
  public var contentRange: ContentRange? { headerFields.singleton(.contentRange).flatMap { ContentRange($0) } }

  /// Whether `Content-Range` contradicts the status or `Content-Length`, so that the place of the bytes is unknown.
  ///
  /// The field contradicts a 206 if its range has another length than `Content-Length`. Only 206 and 416 define the
  /// field (RFC 9110 section 14.4), so it contradicts any other status unless its range is the whole content with the
  /// stated length. A range in another unit than bytes contradicts nothing: some services count the items of a page
  /// in it.
  public var hasContradictoryRange: Bool {
    guard headerFields.contains(.contentRange), status.code != 416,
      headerFields[values: .contentRange].contains(where: { $0.lowercased().hasPrefix("bytes") })
    else { return false }
    let length = headerFields[.contentLength].flatMap { Int64($0) }
    guard let range = contentRange else { return status.code != 206 }
    if let length, length != Int64(range.range.count) { return true }
    return status.code != 206 && !range.isWhole
  }

  /// Whether the body is or may be partial content; `false` if its range is the whole content.
  var isPart: Bool { status.code == 206 && contentRange?.isWhole != true }
}
