import LupineSupport

/// A secret that a scan found.
struct SecretFinding: Equatable {
  /// A description of the text, such as `a JSON Web Token`; it does not contain the text.
  let meaning: String
  /// The number of its first byte, from 1.
  let byte: Int
}

/// Searches a text, which arrives in pieces, for secret values and for tokens of known shapes.
///
/// It reads the text as it is, without percent-coding, and without the escapes of JSON. It keeps some KiB at most.
struct SecretScanner {
  private let patterns: SecretPatterns
  private let rules: SecretRules
  private var plain = ScannedText()
  // A text without an escape is the same when it is decoded.
  private var percent: PercentText?
  private var escaped: EscapedText?
  private var names: MemberNameScanner?
  private var position = 0
  /// The first finding.
  private(set) var finding: SecretFinding?

  /// - Parameter findsNames: whether values with a secret name are findings too, as in a body that is too long to be
  ///   redacted.
  init(_ patterns: SecretPatterns, _ rules: SecretRules, findsNames: Bool = false) {
    self.patterns = patterns
    self.rules = rules
    names = findsNames ? MemberNameScanner() : nil
  }

  /// Searches a whole text.
  static func find(_ text: [UInt8], _ patterns: SecretPatterns, _ rules: SecretRules) -> SecretFinding? {
    var scanner = SecretScanner(patterns, rules)
    text.withUnsafeBytes { scanner.feed($0) }
    scanner.finish()
    return scanner.finding
  }

  /// Searches the next piece.
  mutating func feed(_ piece: UnsafeRawBufferPointer) {
    for byte in piece where finding == nil { add(byte) }
  }

  private mutating func add(_ byte: UInt8) {
    if byte == .percent, percent == nil { percent = PercentText(plain.decodable(from: position)) }
    if byte == .backslash, escaped == nil { escaped = EscapedText(plain.decodable(from: position)) }
    finding = plain.add(byte, at: position, patterns, rules)
    if percent != nil, finding == nil { finding = percent?.add(byte, at: position, patterns, rules) }
    if escaped != nil, finding == nil { finding = escaped?.add(byte, at: position, patterns, rules) }
    if names != nil, finding == nil { finding = names?.add(byte, at: position, rules) }
    position += 1
  }

  /// Searches the end of the text.
  mutating func finish() {
    if finding == nil { finding = plain.endRun(rules, at: position - 1) }
    if finding == nil { finding = percent?.finish(patterns, rules) }
    if finding == nil { finding = escaped?.finish(patterns, rules) }
  }
}

/// The last bytes of a text, in one of its readings.
struct ScannedText {
  private static let capacity = 8192
  private static let maximumRun = 4096

  private var history: [UInt8] = []
  /// The place of each byte of the history in the undecoded text; `nil` for that text itself.
  private var places: [Int]?
  private var key: UInt64 = 0
  /// The number of last bytes that may belong to a token.
  private var runLength = 0
  /// Whether the byte before the run may be a letter or digit.
  private var isRunCut = false

  /// A copy of this text that can continue with decoded bytes.
  func decodable(from end: Int) -> ScannedText {
    var copy = self
    copy.places = Array((end - history.count)..<end)
    return copy
  }

  /// Adds a byte; returns what ends with it.
  mutating func add(
    _ byte: UInt8, at place: Int, _ patterns: SecretPatterns, _ rules: SecretRules
  ) -> SecretFinding? {
    if history.count == Self.capacity { shorten() }
    history.append(byte)
    places?.append(place)
    key = SecretPatterns.key(key, adding: byte)
    if patterns.mayEnd(key), let found = patterns.match(key, history[...]) {
      return SecretFinding(meaning: found.meaning, byte: number(back: found.bytes.count, place))
    }
    if TokenShape.isTokenByte(byte) {
      runLength += 1
      return runLength > Self.maximumRun ? cutRun(rules, place) : nil
    }
    return runLength > 0 ? endRun(rules, before: 1, place) : nil
  }

  private mutating func shorten() {
    let kept = max(SecretPatterns.maximumLength, runLength)
    let removed = history.count - kept
    history.removeFirst(removed)
    places?.removeFirst(removed)
  }

  /// The number, from 1, of the byte that is this far from the end.
  private func number(back count: Int, _ place: Int) -> Int {
    guard let places else { return place - count + 2 }
    return places[places.count - count] + 1
  }

  /// Searches a run that grows too long; its last bytes stay.
  private mutating func cutRun(_ rules: SecretRules, _ place: Int) -> SecretFinding? {
    let found = token(rules, history.suffix(runLength), place)
    runLength = Self.maximumRun / 2
    isRunCut = true
    return found
  }

  /// Searches the run at the end of the text.
  ///
  /// - Parameter last: the place of the last byte, which a decoded text knows itself.
  mutating func endRun(_ rules: SecretRules, at last: Int = 0) -> SecretFinding? { endRun(rules, before: 0, last) }

  private mutating func endRun(_ rules: SecretRules, before count: Int, _ place: Int) -> SecretFinding? {
    defer { (runLength, isRunCut) = (0, false) }
    return token(rules, history.dropLast(count).suffix(runLength), place)
  }

  private func token(_ rules: SecretRules, _ run: ArraySlice<UInt8>, _ place: Int) -> SecretFinding? {
    var rest = run
    var isCut = isRunCut
    while let found = TokenShape.find(in: rest, isCut: isCut) {
      if !rules.isHarmless(token: String(decoding: run[found.range], as: UTF8.self)) {
        return SecretFinding(
          meaning: found.name, byte: number(back: history.endIndex - found.range.lowerBound, place))
      }
      rest = run[found.range.upperBound...]
      isCut = true
    }
    return nil
  }
}

/// A text read without percent-coding.
struct PercentText {
  private var text: ScannedText
  /// The beginning of an escape: its places and bytes.
  private var pending: [(byte: UInt8, place: Int)] = []

  init(_ text: ScannedText) { self.text = text }

  mutating func add(
    _ byte: UInt8, at place: Int, _ patterns: SecretPatterns, _ rules: SecretRules
  ) -> SecretFinding? {
    if pending.isEmpty, byte != .percent { return text.add(byte, at: place, patterns, rules) }
    guard byte != .percent, byte.isHex else {
      let found = finishEscape(patterns, rules)
      if byte == .percent {
        pending = [(byte, place)]
        return found
      }
      return found ?? text.add(byte, at: place, patterns, rules)
    }
    pending.append((byte, place))
    guard pending.count == 3 else { return nil }
    let digits = pending.dropFirst().compactMap { Hexadecimal.value(of: $0.byte) }
    let start = pending[0].place
    pending = []
    return text.add(digits[0] << 4 | digits[1], at: start, patterns, rules)
  }

  /// Takes the beginning of an escape that is none.
  private mutating func finishEscape(_ patterns: SecretPatterns, _ rules: SecretRules) -> SecretFinding? {
    defer { pending = [] }
    for (byte, place) in pending {
      if let found = text.add(byte, at: place, patterns, rules) { return found }
    }
    return nil
  }

  mutating func finish(_ patterns: SecretPatterns, _ rules: SecretRules) -> SecretFinding? {
    finishEscape(patterns, rules) ?? text.endRun(rules)
  }
}

/// A text read without the escapes of JSON.
struct EscapedText {
  private static let maximumEscape = 12

  private var text: ScannedText
  private var pending: [UInt8] = []
  private var start = 0

  init(_ text: ScannedText) { self.text = text }

  mutating func add(
    _ byte: UInt8, at place: Int, _ patterns: SecretPatterns, _ rules: SecretRules
  ) -> SecretFinding? {
    if pending.isEmpty, byte != .backslash { return text.add(byte, at: place, patterns, rules) }
    if pending.isEmpty { start = place }
    pending.append(byte)
    switch Self.decode(pending) {
    case .incomplete: return nil
    case .complete(let bytes):
      pending = []
      return take(bytes, patterns, rules)
    case .invalid:
      return giveUp(patterns, rules)
    }
  }

  private enum Step {
    case incomplete
    case complete([UInt8])
    case invalid
  }

  private static func decode(_ escape: [UInt8]) -> Step {
    guard escape.count > 1 else { return .incomplete }
    guard escape[1] == UInt8(ascii: "u") else { return .complete([JSONEscape.plain(escape[1])]) }
    if let (bytes, count) = JSONEscape.character(escape[...]) {
      return count == escape.count ? .complete(bytes) : .invalid
    }
    if escape.count < 6 { return escape.dropFirst(2).allSatisfy(\.isHex) ? .incomplete : .invalid }
    // The first half of a character outside of the first plane.
    let first = escape.dropFirst(2).prefix(4).reduce(UInt16(0)) { $0 << 4 | UInt16(Hexadecimal.value(of: $1) ?? 0) }
    guard UTF16.isLeadSurrogate(first), escape.count < maximumEscape else { return .invalid }
    let second = escape.dropFirst(6)
    let isEscape = zip(second, #"\u"#.utf8).allSatisfy { $0 == $1 } && second.dropFirst(2).allSatisfy(\.isHex)
    return isEscape ? .incomplete : .invalid
  }

  /// Takes the first byte of an escape that is none, and reads the others again.
  private mutating func giveUp(_ patterns: SecretPatterns, _ rules: SecretRules) -> SecretFinding? {
    let (bytes, first) = (pending, start)
    pending = []
    if let found = text.add(bytes[0], at: first, patterns, rules) { return found }
    for (offset, byte) in bytes.enumerated().dropFirst() {
      if let found = add(byte, at: first + offset, patterns, rules) { return found }
    }
    return nil
  }

  private mutating func take(
    _ bytes: [UInt8], _ patterns: SecretPatterns, _ rules: SecretRules
  ) -> SecretFinding? {
    for byte in bytes {
      if let found = text.add(byte, at: start, patterns, rules) { return found }
    }
    return nil
  }

  mutating func finish(_ patterns: SecretPatterns, _ rules: SecretRules) -> SecretFinding? {
    let bytes = pending
    pending = []
    return take(bytes, patterns, rules) ?? text.endRun(rules)
  }
}
