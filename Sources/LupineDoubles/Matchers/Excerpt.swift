import LupineFoundation

/// Cuts out the place at which two long texts differ.
enum Excerpt {
  /// The number of bytes of a text that are shown.
  static let length = 200
  private static let lead = 40

  /// Returns the number of the first byte that differs, from 1; if one text is a prefix of the other, its end counts.
  static func place(_ first: Data, _ second: Data) -> Int {
    let differing = zip(first, second).enumerated().first { $0.element.0 != $0.element.1 }
    return (differing?.offset ?? min(first.count, second.count)) + 1
  }

  /// Whether the difference is visible within the beginnings of both texts.
  static func isShown(_ place: Int) -> Bool { place <= length - lead }

  /// Returns the expected and the actual text around a place beyond the beginnings of both.
  static func texts(_ expected: Data, _ got: Data, at place: Int) -> String {
    "expected \(excerpt(expected, at: place)), got \(excerpt(got, at: place))"
  }

  private static func excerpt(_ data: Data, at place: Int) -> String {
    let bytes = [UInt8](data)
    var start = min(max(0, place - 1 - lead), bytes.count)
    // The cut must not split a character of several bytes.
    while start > 0, start < bytes.count, bytes[start] & 0xC0 == 0x80 { start -= 1 }
    let part = bytes[start...].prefix(length)
    let text = String(decoding: part, as: UTF8.self)
    return "\"…\(text)\(part.endIndex < bytes.count ? "…" : "")\" (\(bytes.count) bytes)"
  }
}
