import LupineCore
import LupineSession
import LupineSupport

/// The progress of one transfer or several as text: the title, a bar, the number of transfers, the percentage, the
/// bytes, the rate and the time left.
struct ProgressLine {
  let title: String
  let progress: TransferProgress
  /// The numbers of ended, of all and of failed transfers; `nil` for a single transfer.
  var transfers: (ended: Int, all: Int, failed: Int)?
  /// The completed fraction if the total number of bytes is unknown; `nil` omits the bar and the percentage.
  var estimate: Double?

  /// Returns the line.
  ///
  /// - Parameter width: the maximum number of columns; `nil` omits the bar. If the space is too small, the bar is
  ///   omitted first. Then the title is shortened to a third of the line, and the figures have the first form that fits
  ///   beside it. If even the last form is too wide, figures are omitted as `Figure.omission` says.
  func text(width: Int?) -> String {
    guard let width else { return [title, text(in: .full)].filter { !$0.isEmpty }.joined(separator: "  ") }
    // Below 20 columns the figures are more useful than a few letters.
    let name = width < 20 ? 0 : min(title.columns, width / 3)
    let room = name > 0 ? width - name - 2 : width
    return fitted(Form.allCases.map { text(in: $0) }.first { $0.count <= room } ?? tightText(columns: room), width)
  }

  /// The forms of the figures, from the widest to the narrowest.
  private enum Form: CaseIterable {
    /// `10 of 100   10 %  150 MB of 1.5 GB  1.5 MB/s  15:00 left`.
    case full
    /// `10/100 10 % 150 MB/1.5 GB 1.5 MB/s 15:00`.
    case short
    /// `10/100 10% 150MB/1.5GB 1.5MB/s 15:00`, without a space between a number and its unit.
    case tight
  }

  /// The figures, in the order of the line.
  private enum Figure: CaseIterable {
    case count, failures, percentage, bytes, rate, timeLeft

    /// The order in which figures are omitted, each as a whole.
    static let omission: [Figure] = [.rate, .bytes, .timeLeft, .percentage, .failures, .count]
  }

  private func text(_ figures: [Figure] = Figure.allCases, in form: Form) -> String {
    figures.compactMap { text(of: $0, in: form) }.joined(separator: form == .full ? "  " : " ")
  }

  private func tightText(columns: Int) -> String {
    var figures = Figure.allCases
    for omitted in Figure.omission where text(figures, in: .tight).count > columns {
      figures.removeAll { $0 == omitted }
    }
    return text(figures, in: .tight)
  }

  private func fitted(_ text: String, _ width: Int) -> String {
    let room = max(0, width - text.count - (text.isEmpty ? 0 : 2))
    let name = title.columns <= room ? title : title.prefix(columns: room - 1) + (room > 0 ? "…" : "")
    let bar = bar(columns: room - name.columns - (name.isEmpty ? 0 : 2))
    return [name, bar ?? "", text].filter { !$0.isEmpty }.joined(separator: "  ")
  }

  private func text(of figure: Figure, in form: Form) -> String? {
    switch figure {
    case .count: count(form)
    case .failures: failures
    case .percentage: percentage(form)
    case .bytes: bytes(form)
    case .rate: speed(form)
    case .timeLeft: timeLeft(form)
    }
  }

  /// Returns a bar of 10 to 40 columns; `nil` if there is no room or the fraction is unknown.
  private func bar(columns: Int) -> String? {
    guard let fraction, columns >= 12 else { return nil }
    let width = min(columns, 42) - 2
    let filled = Int(fraction * Double(width))
    return "[" + String(repeating: "#", count: filled) + String(repeating: "-", count: width - filled) + "]"
  }

  /// Whether nothing more comes, and not everything came.
  private var isIncomplete: Bool { progress.total == progress.completed && transfers?.failed ?? 0 > 0 }

  /// The completed fraction, from 0 to 1; `nil` if unknown, and if the bar would be full in spite of a failure.
  private var fraction: Double? {
    isIncomplete ? nil : (progress.total != nil ? progress.fractionCompleted : estimate).map { min(1, max(0, $0)) }
  }

  private func count(_ form: Form) -> String? {
    transfers.map { "\($0.ended)\(form == .full ? " of " : "/")\($0.all)" }
  }

  private var failures: String? { transfers.flatMap { $0.failed > 0 ? "\($0.failed) failed" : nil } }

  private func percentage(_ form: Form) -> String? {
    guard let fraction else { return nil }
    let text = "\(Int(fraction * 100))\(form == .tight ? "" : " ")%"
    return String(repeating: " ", count: form == .full ? max(0, 5 - text.count) : 0) + text
  }

  private func bytes(_ form: Form) -> String {
    let done = Self.size(Double(progress.completed))
    let completed = text(of: done, in: form)
    guard !isIncomplete, let total = progress.total.map({ Self.size(Double($0)) }) else { return completed }
    guard form != .full else { return "\(completed) of \(total.text)" }
    return "\(done.unit == total.unit ? done.number : completed)/\(text(of: total, in: form))"
  }

  private func text(of size: Size, in form: Form) -> String { form == .tight ? size.number + size.unit : size.text }

  /// The bytes per second; `nil` in the first second, in which they vary too much.
  private var rate: Double? {
    let isSteady = progress.elapsed.map { $0 >= .seconds(1) } ?? true
    return isSteady && progress.throughput > 0 ? progress.throughput : nil
  }

  private func speed(_ form: Form) -> String? { rate.map { text(of: Self.size($0), in: form) + "/s" } }

  private func timeLeft(_ form: Form) -> String? {
    guard let total = progress.total, let rate, total > progress.completed else { return nil }
    let seconds = Int(min(359_999, ((Double(total) - Double(progress.completed)) / rate).rounded(.up)))
    let parts = [seconds / 60 % 60, seconds % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
    return
      "\(seconds / 3600 > 0 ? "\(seconds / 3600):" : "")\(parts.joined(separator: ":"))\(form == .full ? " left" : "")"
  }

  /// A number of bytes as text.
  struct Size {
    let number: String
    let unit: String

    var text: String { "\(number) \(unit)" }
  }

  /// Returns the size with one to three digits before the unit, at most one of them after the point.
  static func size(_ bytes: Double) -> Size {
    var value = bytes
    var unit = 0
    while value >= 999.5, unit < 4 {
      value /= 1_000
      unit += 1
    }
    let name = ["B", "kB", "MB", "GB", "TB"][unit]
    guard unit > 0, value < 99.95 else { return Size(number: "\(Int(saturating: value.rounded()))", unit: name) }
    let tenths = Int(saturating: (value * 10).rounded())
    return Size(number: "\(tenths / 10).\(tenths % 10)", unit: name)
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
