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
