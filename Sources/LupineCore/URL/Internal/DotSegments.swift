import LupineSupport

/// Detects the path segments `.` and `..`, percent-encoded or not (RFC 3986 section 5.2.4).
enum DotSegments {
  /// Returns the number of dots in a dot segment, 1 or 2; `nil` for an ordinary segment.
  static func dots(_ bytes: Span<UInt8>, _ segment: Range<Int>) -> Int? {
    var index = segment.lowerBound
    var dots = 0
    while index < segment.upperBound, dots < 3 {
      if bytes[index] == .dot {
        index += 1
      } else if index + 2 < segment.upperBound, isEncodedDot(bytes, at: index) {
        index += 3
      } else {
        return nil
      }
      dots += 1
    }
    return 1...2 ~= dots ? dots : nil
  }

  /// Whether `%2e` in either case is at `index`, which must have two bytes after it.
  static func isEncodedDot(_ bytes: Span<UInt8>, at index: Int) -> Bool {
    bytes[index] == .percent && bytes[index + 1] == 0x32 && bytes[index + 2] | 0x20 == 0x65
  }

  /// Whether `..` leads a relative path above its start at any point.
  static func climb(_ reference: Substring) -> Bool {
    let view = reference.utf8
    let bytes = view.span
    var depth = 0
    var start = 0
    for index in 0...bytes.count {
      let ends = index == bytes.count || bytes[index] == .question || bytes[index] == .hash
      guard ends || bytes[index] == .slash else { continue }
      switch dots(bytes, start..<index) {
      case 1: break
      case 2: depth -= 1
      default: depth += 1
      }
      if depth < 0 { return true }
      if ends { return false }
      start = index + 1
    }
    return false
  }
}
