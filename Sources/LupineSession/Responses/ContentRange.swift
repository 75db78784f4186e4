public import HTTPTypes

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

  private static func number(_ text: Substring) -> Int64? {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(text) : nil
  }
}

extension HTTPResponse {
  /// The range of the body; `nil` if the field is missing, invalid or not in bytes.
  public var contentRange: ContentRange? { headerFields[.contentRange].flatMap { ContentRange($0) } }

  /// Whether the body is or may be partial content; `false` if its range is the whole content.
  var isPart: Bool {
    guard status.code == 206 else { return false }
    guard let content = contentRange else { return true }
    return content.total.map { content.range != 0..<$0 } ?? true
  }
}
