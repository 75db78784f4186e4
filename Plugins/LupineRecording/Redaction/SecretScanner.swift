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
  /// The number of bytes that are searched at once.
  private static let size = 64 << 10

  private let search: SecretSearch
  private var plain = ScannedText()
  private var percent = DecodedReading(.percent)
  private var escaped = DecodedReading(.json)
  private var names: MemberNameScanner?
  private var position = 0
  /// The first finding.
  private(set) var finding: SecretFinding?

  /// - Parameter findsNames: whether values with a secret name are findings too, as in a body that is too long to be
  ///   redacted.
  init(_ patterns: SecretPatterns, _ rules: SecretRules, findsNames: Bool = false) {
    search = SecretSearch(patterns: patterns, rules: rules)
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
    var rest = piece[...]
    while finding == nil, !rest.isEmpty {
      let part = Array(rest.prefix(Self.size))
      rest = rest.dropFirst(part.count)
      read(part)
    }
  }

  private mutating func read(_ piece: [UInt8]) {
    let before = plain
    note(plain.add(piece, from: position, search))
    note(percent.add(piece, from: position, after: before, search))
    note(escaped.add(piece, from: position, after: before, search))
    if names != nil {
      for (offset, byte) in piece.enumerated() where finding == nil {
        note(names?.add(byte, at: position + offset, search.rules))
      }
    }
    position += piece.count
  }

  /// Searches the end of the text.
  mutating func finish() {
    note(plain.endRun(search))
    note(percent.finish(search))
    note(escaped.finish(search))
  }

  private mutating func note(_ found: SecretFinding?) {
    guard let found, found.byte < finding?.byte ?? .max else { return }
    finding = found
  }
}

/// The patterns that a scan searches for, and the rules that exempt texts.
struct SecretSearch {
  let patterns: SecretPatterns
  let rules: SecretRules

  /// Returns the first token of a known shape that is not named as harmless, with its place in the run.
  ///
  /// - Parameter isCut: see `TokenShape`.
  func token(in run: [UInt8], isCut: Bool) -> (start: Int, name: String)? {
    var (rest, isCut) = (run[...], isCut)
    while let found = TokenShape.find(in: rest, isCut: isCut) {
      let token = String(decoding: run[found.range], as: UTF8.self)
      if !rules.isHarmless(token: token) { return (found.range.lowerBound, found.name) }
      rest = run[found.range.upperBound...]
      isCut = true
    }
    return nil
  }
}

/// A text in one of its readings, of which the last bytes are kept.
struct ScannedText {
  private static let maximumRun = 4096

  private var tail: [UInt8] = []
  /// The places of the bytes of the tail.
  private var tailPlaces: [Int] = []
  private var key: UInt64 = 0
  /// The number of last bytes that may belong to a token.
  private(set) var runLength = 0
  /// Whether the byte before the run may be a letter or digit.
  private var isRunCut = false

  init() {}

  /// This text, and the beginning of a piece that follows it at a place.
  func followed(by bytes: ArraySlice<UInt8>, from place: Int) -> ScannedText {
    let kept = Array(tail.suffix(max(0, Self.maximumRun - bytes.count)) + bytes.suffix(Self.maximumRun))
    var (text, run) = (ScannedText(), 0)
    while run < kept.count, TokenShape.isTokenByte(kept[kept.count - 1 - run]) { run += 1 }
    text.runLength = run
    text.isRunCut = run == kept.count && (isRunCut || run == Self.maximumRun)
    text.tail = Array(kept.suffix(max(SecretPatterns.maximumLength, run)))
    let end = place + bytes.count
    text.tailPlaces = Array((end - text.tail.count)..<end)
    text.key = text.tail.suffix(SecretPatterns.minimumLength).reduce(0) { SecretPatterns.key($0, adding: $1) }
    return text
  }

  /// Searches the next bytes.
  ///
  /// - Parameters:
  ///   - places: the place of each byte. Default: they follow each other.
  ///   - start: the place of the first byte.
  mutating func add(
    _ bytes: [UInt8], places: [Int]? = nil, from start: Int = 0, _ search: SecretSearch
  ) -> SecretFinding? {
    defer { keep(bytes, places, start) }
    for event in events(bytes, search.patterns) {
      switch event {
      case .hit(let key, let end):
        guard search.patterns.ends(with: key) else { continue }
        let text = last(SecretPatterns.maximumLength, of: bytes, before: end)
        guard let found = search.patterns.match(key, text[...]) else { continue }
        let byte = place(back: found.bytes.count, end, bytes, places, start) + 1
        return SecretFinding(meaning: found.meaning, byte: byte)
      case .run(let length, let end, let isCut):
        let run = last(length, of: bytes, before: end)
        guard let found = search.token(in: run, isCut: isCut) else { continue }
        let byte = place(back: run.count - found.start, end, bytes, places, start) + 1
        return SecretFinding(meaning: found.name, byte: byte)
      }
    }
    return nil
  }

  /// A place that a second, slower test examines.
  private enum Event {
    /// The last bytes before a place may be those of a pattern.
    case hit(key: UInt64, end: Int)
    /// A run of bytes of tokens ends at a place.
    case run(length: Int, end: Int, isCut: Bool)
  }

  /// Reads the next bytes.
  ///
  /// The loop is short, because it reads every byte of a long body.
  private mutating func events(_ bytes: [UInt8], _ patterns: SecretPatterns) -> [Event] {
    var events: [Event] = []
    var (key, length, isCut, index) = (key, runLength, isRunCut, 0)
    bytes.withUnsafeBufferPointer { bytes in
      patterns.withUnsafeFilter { filter in
        while index < bytes.count {
          let byte = bytes[index]
          index += 1
          key = SecretPatterns.key(key, adding: byte)
          if filter.mayEnd(key) { events.append(.hit(key: key, end: index)) }
          if filter.isTokenByte(byte) {
            length += 1
            guard length > Self.maximumRun else { continue }
            events.append(.run(length: length, end: index, isCut: isCut))
            (length, isCut) = (Self.maximumRun / 2, true)
          } else if length > 0 {
            if length >= TokenShape.minimumLength { events.append(.run(length: length, end: index - 1, isCut: isCut)) }
            (length, isCut) = (0, false)
          }
        }
      }
    }
    (self.key, runLength, isRunCut) = (key, length, isCut)
    return events
  }

  /// Searches the run at the end of the text.
  mutating func endRun(_ search: SecretSearch) -> SecretFinding? {
    defer { (runLength, isRunCut) = (0, false) }
    let run = Array(tail.suffix(runLength))
    return search.token(in: run, isCut: isRunCut).map { found in
      SecretFinding(meaning: found.name, byte: tailPlaces[tailPlaces.count - run.count + found.start] + 1)
    }
  }

  private mutating func keep(_ bytes: [UInt8], _ places: [Int]?, _ start: Int) {
    let count = max(SecretPatterns.maximumLength, runLength)
    let added = min(count, bytes.count)
    tail = tail.suffix(count - added) + bytes.suffix(added)
    let last = start + bytes.count
    tailPlaces = tailPlaces.suffix(count - added) + (places?.suffix(added) ?? ArraySlice((last - added)..<last))
  }

  /// The last bytes before a place in the next bytes; fewer at the beginning of the text.
  private func last(_ count: Int, of bytes: [UInt8], before end: Int) -> [UInt8] {
    Array(tail.suffix(max(0, count - end)) + bytes[max(0, end - count)..<end])
  }

  /// The place of the byte that is this far before a place in the next bytes.
  private func place(back count: Int, _ end: Int, _ bytes: [UInt8], _ places: [Int]?, _ start: Int) -> Int {
    if count > end { return tailPlaces[tailPlaces.count - (count - end)] }
    return places?[end - count] ?? start + end - count
  }
}
