import HTTPTypes

/// A `Content-Range` in bytes (RFC 9110 section 14.4).
struct ContentRange: Equatable {
  /// The first byte and the last; `nil` where the range was refused.
  var range: ClosedRange<Int64>?
  /// The length of the whole; `nil` where it is not known.
  var total: Int64?

  init?(_ text: String) {
    guard text.hasPrefix("bytes ") else { return nil }
    let parts = text.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    if parts[1] != "*" {
      guard let number = Self.number(parts[1]) else { return nil }
      total = number
    }
    guard parts[0] != "*" else { return }
    let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]), first <= last,
      last < .max, total.map({ last < $0 }) ?? true
    else { return nil }
    range = first...last
  }

  private static func number(_ text: Substring) -> Int64? {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(text) : nil
  }
}

extension HTTPResponse {
  /// Which part of the whole the body is; `nil` where it does not say, or not in bytes.
  var contentRange: ContentRange? { headerFields[.contentRange].flatMap { ContentRange($0) } }
}
