/// The scripts whose labels are shown in Unicode, each with the characters that are shown.
///
/// Rare letters are left out, and so are invisible characters. A label with a character of no script here keeps its ASCII
/// form.
enum LabelScript: CaseIterable {
  case latin, greek, cyrillic, arabic, devanagari, thai, hangul, japanese, chinese

  /// Whether all characters of a label belong to one script, and the label cannot be taken for a Latin one.
  static func isUnmistakable(_ label: String) -> Bool {
    let letters = label.unicodeScalars.filter { !isCommon($0) }
    guard let script = allCases.first(where: { script in letters.allSatisfy(script.contains) }) else { return false }
    return !letters.allSatisfy(script.looksLatin)
  }

  /// Digits and the hyphen, which belong to each script.
  private static func isCommon(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "-" || ("0"..."9").contains(scalar)
  }

  private func contains(_ scalar: Unicode.Scalar) -> Bool {
    ranges.contains { $0.contains(scalar) } && !rare.contains(scalar)
  }

  /// The ranges of UTS 39's augmented scripts: Japanese has three scripts.
  private var ranges: [ClosedRange<Unicode.Scalar>] {
    switch self {
    case .latin: ["a"..."z", "\u{DF}"..."\u{F6}", "\u{F8}"..."\u{17E}", "\u{218}"..."\u{21B}", "\u{1EA0}"..."\u{1EF9}"]
    case .greek: ["\u{3AC}"..."\u{3CE}", "\u{390}"..."\u{390}"]
    case .cyrillic: ["\u{430}"..."\u{45F}", "\u{490}"..."\u{491}"]
    case .arabic: ["\u{620}"..."\u{63F}", "\u{641}"..."\u{64A}", "\u{671}"..."\u{6D3}"]
    case .devanagari: ["\u{901}"..."\u{94D}", "\u{958}"..."\u{963}"]
    case .thai: ["\u{E01}"..."\u{E3A}", "\u{E40}"..."\u{E4E}"]
    case .hangul: ["\u{AC00}"..."\u{D7A3}"]
    case .japanese:
      ["\u{3041}"..."\u{3096}", "\u{30A1}"..."\u{30FA}", "\u{30FC}"..."\u{30FE}", "\u{4E00}"..."\u{9FA5}", "々"..."々"]
    case .chinese: ["\u{4E00}"..."\u{9FA5}"]
    }
  }

  /// Letters within the ranges that are rare or look like others.
  private var rare: Set<Unicode.Scalar> {
    self == .latin ? ["\u{131}", "\u{138}", "\u{149}", "\u{13F}", "\u{140}", "\u{17F}"] : []
  }

  /// Whether a letter of this script looks like a Latin letter, a digit or a sign of a URL.
  private func looksLatin(_ scalar: Unicode.Scalar) -> Bool { lookalikes.unicodeScalars.contains(scalar) }

  private var lookalikes: String {
    switch self {
    case .greek: "αικνρυωηοτγϊίόύώ"
    case .cyrillic: "асеһіјӏорѕхуъьпгѵѡ"
    case .japanese, .chinese: "ノソンニロハヘへー一二工口八丶丿"
    default: ""
    }
  }
}
