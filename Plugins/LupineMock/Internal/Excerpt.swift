import FoundationEssentials

/// Where two long texts differ, cut out of both.
enum Excerpt {
  /// How many bytes are shown of a text.
  static let length = 200
  private static let lead = 40

  /// The number of the first byte that differs, from 1; the shorter one's end counts.
  static func place(_ first: Data, _ second: Data) -> Int {
    let differing = zip(first, second).enumerated().first { $0.element.0 != $0.element.1 }
    return (differing?.offset ?? min(first.count, second.count)) + 1
  }

  /// Whether whoever sees the beginnings of both sees the difference too.
  static func isShown(_ place: Int) -> Bool { place <= length - lead }

  /// What is expected and what was got around a place, which lies beyond what is shown of both.
  static func texts(_ expected: Data, _ got: Data, at place: Int) -> String {
    "expected \(cut(expected, at: place)), got \(cut(got, at: place))"
  }

  private static func cut(_ data: Data, at place: Int) -> String {
    let bytes = [UInt8](data)
    var start = min(max(0, place - 1 - lead), bytes.count)
    // Not within a character of several bytes.
    while start > 0, start < bytes.count, bytes[start] & 0xC0 == 0x80 { start -= 1 }
    let part = bytes[start...].prefix(length)
    let text = String(decoding: part, as: UTF8.self)
    return "\"…\(text)\(part.endIndex < bytes.count ? "…" : "")\" (\(bytes.count) bytes)"
  }
}
