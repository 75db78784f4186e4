#if Terminal
  /// Lays out JSON for readers while it arrives, in constant memory: one member a line, indented, in colours.
  ///
  /// The texts of keys, strings and numbers stay as they are. From the first byte that breaks the grammar of JSON on, the
  /// text is passed on unchanged.
  struct JSONLayout {
    private let hasColours: Bool
    /// The open brackets and braces.
    private var open: [UInt8] = []
    /// Whether the innermost bracket has no content yet.
    private var isEmpty = false
    /// Whether the next string of the innermost brace is a key.
    private var expectsKey = false
    private var token = Token.none
    private var hasValue = false
    private var isRaw = false
    private var hasBegun = false
    /// Whether white space came after the last token, for a text that turns out to be no JSON.
    private var hasBlank = false
    private var output: [UInt8] = []

    private enum Token {
      case none, string, escape, word
    }

    /// Deeper levels are not indented further.
    private static let indentedLevels = 40
    /// A deeper text is passed on unchanged.
    private static let maximumDepth = 10_000

    init(hasColours: Bool) { self.hasColours = hasColours }

    /// Returns the layout of the next bytes.
    ///
    /// - Parameter bytes: whole characters. A byte order mark at the beginning is left out.
    mutating func layOut(_ bytes: [UInt8]) -> [UInt8] {
      let isMarked = !hasBegun && bytes.starts(with: [0xEF, 0xBB, 0xBF])
      hasBegun = hasBegun || !bytes.isEmpty
      for byte in bytes.dropFirst(isMarked ? 3 : 0) { add(byte) }
      defer { output = [] }
      return output
    }

    /// Returns the end of the layout.
    mutating func finish() -> [UInt8] {
      endToken()
      defer { output = [] }
      return output
    }

    private mutating func add(_ byte: UInt8) {
      if isRaw { return output.append(byte) }
      switch token {
      case .string: addToString(byte)
      case .escape:
        output.append(byte)
        token = .string
      case .none, .word: addOutside(byte)
      }
    }

    private mutating func addToString(_ byte: UInt8) {
      output.append(byte)
      if byte == UInt8(ascii: "\\") { token = .escape }
      if byte == UInt8(ascii: "\"") { endToken() }
    }

    private mutating func addOutside(_ byte: UInt8) {
      switch byte {
      case 0x20, 0x09, 0x0A, 0x0D:
        endToken()
        return hasBlank = true
      case UInt8(ascii: "{"), UInt8(ascii: "["): beginContainer(byte)
      case UInt8(ascii: "}"), UInt8(ascii: "]"): endContainer(byte)
      case UInt8(ascii: ","): separate()
      case UInt8(ascii: ":"): beginMember()
      case UInt8(ascii: "\""): beginString()
      default: addToWord(byte)
      }
      hasBlank = false
    }

    private mutating func beginContainer(_ byte: UInt8) {
      beginValue()
      output.append(byte)
      open.append(byte)
      (isEmpty, expectsKey) = (true, byte == UInt8(ascii: "{"))
      if open.count > Self.maximumDepth { isRaw = true }
    }

    private mutating func endContainer(_ byte: UInt8) {
      endToken()
      let opening = byte - 2
      guard open.last == opening else { return giveUp(byte) }
      open.removeLast()
      if !isEmpty { breakLine() }
      output.append(byte)
      (isEmpty, expectsKey) = (false, false)
    }

    private mutating func separate() {
      endToken()
      guard let last = open.last, !isEmpty else { return giveUp(UInt8(ascii: ",")) }
      output.append(UInt8(ascii: ","))
      breakLine()
      expectsKey = last == UInt8(ascii: "{")
    }

    private mutating func beginMember() {
      guard open.last == UInt8(ascii: "{"), token == .none else { return giveUp(UInt8(ascii: ":")) }
      output += [UInt8(ascii: ":"), 0x20]
      expectsKey = false
    }

    private mutating func beginString() {
      beginValue()
      paint(expectsKey ? .key : .string)
      output.append(UInt8(ascii: "\""))
      token = .string
    }

    private mutating func addToWord(_ byte: UInt8) {
      if token == .word { return output.append(byte) }
      switch byte {
      case UInt8(ascii: "-"), 0x30...0x39:
        beginValue()
        paint(.number)
      case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"):
        beginValue()
        paint(.literal)
      default: return giveUp(byte)
      }
      token = .word
      output.append(byte)
    }

    /// Begins a line for the first value of a container, and for a further value of a sequence.
    private mutating func beginValue() {
      endToken()
      if open.isEmpty ? hasValue : isEmpty { breakLine() }
      (isEmpty, hasValue) = (false, true)
    }

    private mutating func endToken() {
      guard token != .none else { return }
      token = .none
      if hasColours { output += Style.reset.utf8 }
    }

    private mutating func paint(_ style: Style) {
      if hasColours { output += style.start.utf8 }
    }

    private mutating func breakLine() {
      output.append(0x0A)
      output += [UInt8](repeating: 0x20, count: 4 * min(open.count, Self.indentedLevels))
    }

    private mutating func giveUp(_ byte: UInt8) {
      endToken()
      isRaw = true
      if hasBlank, open.isEmpty { output.append(0x20) }
      output.append(byte)
    }
  }
#endif
