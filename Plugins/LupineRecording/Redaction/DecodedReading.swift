import LupineSupport

/// The escapes of a text that is searched.
enum EscapeCoding {
  /// Percent-coding.
  case percent
  /// The escapes of JSON strings.
  case json

  /// The byte that begins an escape.
  var mark: UInt8 {
    switch self {
    case .percent: .percent
    case .json: .backslash
    }
  }

  enum Unit {
    /// The bytes for which a number of bytes stand.
    case decoded([UInt8], count: Int)
    /// The escape may continue behind the text.
    case incomplete
  }

  /// Decodes what a text begins with; an invalid escape stands for itself.
  func unit(_ text: ArraySlice<UInt8>) -> Unit {
    guard let first = text.first, first == mark else { return .decoded(Array(text.prefix(1)), count: 1) }
    return switch self {
    case .percent: Self.percent(text)
    case .json: Self.json(text)
    }
  }

  private static func percent(_ text: ArraySlice<UInt8>) -> Unit {
    let digits = text.dropFirst().prefix(2)
    guard digits.allSatisfy(\.isHex) else { return .decoded([.percent], count: 1) }
    guard digits.count == 2 else { return .incomplete }
    return .decoded([digits.reduce(0) { $0 << 4 | (Hexadecimal.value(of: $1) ?? 0) }], count: 3)
  }

  private static func json(_ text: ArraySlice<UInt8>) -> Unit {
    guard let letter = text.dropFirst().first else { return .incomplete }
    if letter == UInt8(ascii: "u") { return unicode(text) }
    if letter == .backslash, let second = escapeAfterBackslash(text) { return second }
    let isEscape = JSONEscape.letters.contains(letter)
    return isEscape ? .decoded([JSONEscape.plain(letter)], count: 2) : .decoded([.backslash], count: 1)
  }

  /// The first of two backslashes, if it stands for itself because the second one begins an escape such as `\u00e9`.
  ///
  /// A strict reader takes the two as one backslash and reads no escape. Another one may read it, in particular if the
  /// JSON is damaged.
  private static func escapeAfterBackslash(_ text: ArraySlice<UInt8>) -> Unit? {
    guard let letter = text.dropFirst(2).first else { return .incomplete }
    guard letter == UInt8(ascii: "u") else { return nil }
    switch unicode(text.dropFirst()) {
    case .incomplete: return .incomplete
    case .decoded(_, let count): return count > 1 ? .decoded([.backslash], count: 1) : nil
    }
  }

  private static func unicode(_ text: ArraySlice<UInt8>) -> Unit {
    if let (bytes, count) = JSONEscape.character(text) { return .decoded(bytes, count: count) }
    let first = text.dropFirst(2).prefix(4)
    guard first.allSatisfy(\.isHex) else { return .decoded([.backslash], count: 1) }
    guard first.count == 4 else { return .incomplete }
    // The first half of a character outside of the first plane, if the second half can follow.
    let unit = first.reduce(UInt16(0)) { $0 << 4 | UInt16(Hexadecimal.value(of: $1) ?? 0) }
    let second = text.dropFirst(6).prefix(6)
    let canFollow = zip(second, #"\u"#.utf8).allSatisfy { $0 == $1 } && second.dropFirst(2).allSatisfy(\.isHex)
    guard UTF16.isLeadSurrogate(unit), second.count < 6, canFollow else { return .decoded([.backslash], count: 1) }
    return .incomplete
  }
}

/// The reading of a text without its escapes.
///
/// Far from an escape it is the text itself, so that it is made only near one.
struct DecodedReading {
  /// The number of bytes behind an escape after which the readings may be the same.
  private static let distance = 2 * SecretPatterns.maximumLength

  private let coding: EscapeCoding
  /// `nil` while the reading is the text itself.
  private var text: ScannedText?
  /// The beginning of an escape at the end of the last piece.
  private var pending: [UInt8] = []
  private var pendingPlace = 0
  private var bytes: [UInt8] = []
  private var places: [Int] = []
  private var sinceEscape = 0

  init(_ coding: EscapeCoding) { self.coding = coding }

  /// Searches the next piece.
  ///
  /// - Parameter plain: the text itself before the piece.
  mutating func add(
    _ piece: [UInt8], from start: Int, after plain: ScannedText, _ search: SecretSearch
  ) -> SecretFinding? {
    let input = pending + piece
    let (shift, first) = (pending.count, start - pending.count)
    pending = []
    pendingPlace = first
    var (finding, position): (SecretFinding?, Int) = (nil, 0)
    while position < input.count {
      if text == nil {
        guard let mark = input.withUnsafeBytes({ $0.position(of: coding.mark, from: position) }) else { break }
        position = mark
      }
      if text != nil, input[position] != coding.mark {
        append(input[position], at: first + position)
        position += 1
        if sinceEscape > Self.distance { finding = finding ?? rest(search) }
        continue
      }
      switch coding.unit(input[position...]) {
      case .incomplete:
        if text == nil { begin(plain.followed(by: piece[..<(position - shift)], from: start)) }
        finding = finding ?? flush(search)
        pending = Array(input[position...])
        pendingPlace = first + position
        return finding
      case .decoded(let decoded, let count):
        if text == nil, count > 1 { begin(plain.followed(by: piece[..<(position - shift)], from: start)) }
        if text != nil { for byte in decoded { append(byte, at: first + position) } }
        if count > 1 { sinceEscape = 0 }
        position += count
      }
    }
    return finding ?? flush(search)
  }

  private mutating func begin(_ text: ScannedText) {
    self.text = text
    sinceEscape = 0
  }

  private mutating func append(_ byte: UInt8, at place: Int) {
    bytes.append(byte)
    places.append(place)
    sinceEscape += 1
  }

  private mutating func flush(_ search: SecretSearch) -> SecretFinding? {
    guard !bytes.isEmpty else { return nil }
    defer { (bytes, places) = ([], []) }
    return text?.add(bytes, places: places, search)
  }

  /// Ends the reading, unless a token may have begun before the last escape.
  private mutating func rest(_ search: SecretSearch) -> SecretFinding? {
    let finding = flush(search)
    if let length = text?.runLength, length < Self.distance { text = nil }
    sinceEscape = 0
    return finding
  }

  /// Searches the end of the text.
  mutating func finish(_ search: SecretSearch) -> SecretFinding? {
    var finding: SecretFinding?
    // An incomplete escape stands for itself.
    for (offset, byte) in pending.enumerated() { append(byte, at: pendingPlace + offset) }
    pending = []
    finding = flush(search)
    return finding ?? text?.endRun(search)
  }
}
