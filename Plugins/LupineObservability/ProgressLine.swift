import LupineCore
import LupineSession

/// A transfer's progress as text: the title, the percentage, a bar, the bytes, the speed and the time left.
struct ProgressLine {
  let title: String
  let progress: TransferProgress

  /// Returns the line.
  ///
  /// - Parameter width: the maximum number of columns; `nil` omits the bar. If the space is too small, the bar is
  ///   omitted first, then the end of the title, then the other values from the last to the first, each as a whole.
  func text(width: Int?) -> String {
    var facts = [percentage, bytes, speed, timeLeft].compactMap { $0 }
    guard let width else { return ([title].filter { !$0.isEmpty } + facts).joined(separator: "  ") }
    while !facts.isEmpty, facts.joined(separator: "  ").count > width { facts.removeLast() }
    let text = facts.joined(separator: "  ")
    let room = max(0, width - text.count - (text.isEmpty ? 0 : 2))
    let name = title.prefix(columns: room)
    let bar = bar(columns: room - name.columns - (name.isEmpty ? 0 : 2))
    return [name, bar ?? "", text].filter { !$0.isEmpty }.joined(separator: "  ")
  }

  /// Returns a bar of 10 to 40 columns; `nil` if there is no room or the total is unknown.
  private func bar(columns: Int) -> String? {
    guard progress.total != nil, columns >= 12 else { return nil }
    let width = min(columns, 42) - 2
    let filled = Int(progress.fractionCompleted * Double(width))
    return "[" + String(repeating: "#", count: filled) + String(repeating: "-", count: width - filled) + "]"
  }

  private var percentage: String? {
    guard progress.total != nil else { return nil }
    let text = "\(Int(progress.fractionCompleted * 100)) %"
    return String(repeating: " ", count: max(0, 5 - text.count)) + text
  }

  private var bytes: String {
    let done = Self.size(Double(progress.completed))
    return progress.total.map { "\(done) of \(Self.size(Double($0)))" } ?? done
  }

  private var speed: String? { progress.throughput > 0 ? Self.size(progress.throughput) + "/s" : nil }

  private var timeLeft: String? {
    guard let total = progress.total, progress.throughput > 0, total > progress.completed else { return nil }
    let seconds = Int(min(359_999, (Double(total - progress.completed) / progress.throughput).rounded(.up)))
    let parts = [seconds / 60 % 60, seconds % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
    return "\(seconds / 3600 > 0 ? "\(seconds / 3600):" : "")\(parts.joined(separator: ":")) left"
  }

  /// Returns the size with one to three digits before the unit, at most one of them after the point.
  static func size(_ bytes: Double) -> String {
    var value = bytes
    var unit = 0
    while value >= 999.5, unit < 4 {
      value /= 1_000
      unit += 1
    }
    let name = ["B", "kB", "MB", "GB", "TB"][unit]
    guard unit > 0, value < 99.95 else { return "\(Int(value.rounded())) \(name)" }
    let tenths = Int((value * 10).rounded())
    return "\(tenths / 10).\(tenths % 10) \(name)"
  }
}

extension String {
  /// The number of terminal columns of the text; a wide character, such as a Chinese one or an emoji, has two.
  var columns: Int { reduce(0) { $0 + $1.columns } }

  /// Returns the longest prefix with at most this number of columns.
  func prefix(columns: Int) -> String {
    var left = columns
    return String(
      prefix { character in
        left -= character.columns
        return left >= 0
      })
  }
}

extension Character {
  /// The columns of the widest scalar; combining marks have none.
  fileprivate var columns: Int { unicodeScalars.reduce(0) { max($0, $1.columns) } }
}

extension Unicode.Scalar {
  fileprivate var columns: Int {
    // The variation selector that requests the emoji form.
    if self == "\u{FE0F}" { return 2 }
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: return properties.isEmojiPresentation || Self.wide.contains { $0.contains(value) } ? 2 : 1
    }
  }

  /// The blocks of wide characters (W and F) in Unicode Standard Annex #11, except emoji.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F,
    0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
    0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F2FF, 0x20000...0x3FFFD,
  ]
}
