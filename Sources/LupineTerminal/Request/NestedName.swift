#if Terminal
  /// The name of a JSON item as a path in the content, such as `user[emails][0]`; the grammar is that of httpie.
  struct NestedName: Equatable {
    enum Step: Equatable {
      /// A member of an object.
      case key(String)
      /// An element of an array.
      case index(Int)
      /// A new element at the end of an array.
      case append
    }

    /// At least one step.
    let steps: [Step]
    /// The name as it was written, for messages.
    let text: String

    private static let maximumSteps = 100
    private static let maximumIndex = 9_999

    /// Parses a name.
    ///
    /// A backslash before a bracket or a backslash makes it a part of a key; `[\1]` is the key `1` in the place of an index.
    ///
    /// - Throws: `CommandFailure` if brackets are missing, or if the name exceeds a limit.
    init(_ text: String) throws {
      self.text = text
      var rest = Array(text.utf8)[...]
      var steps: [Step] = []
      if rest.first != Self.open {
        let (word, isEscaped) = Self.word(&rest)
        steps.append(.key(Self.key(word, isEscaped)))
      }
      while !rest.isEmpty {
        steps.append(try Self.bracket(&rest, isFirst: steps.isEmpty, of: text))
        guard steps.count <= Self.maximumSteps else {
          throw Self.failure(
            text, "has more than \(Self.maximumSteps) levels. Write the value as JSON, with name:=JSON")
        }
      }
      self.steps = steps
    }

    /// The steps before the given one, as they are written.
    func written(before end: Int) -> String {
      steps[..<end].enumerated().map { position, step in
        switch step {
        case .key(let key): position == 0 ? key : "[\(key)]"
        case .index(let index): "[\(index)]"
        case .append: "[]"
        }
      }.joined()
    }

    /// Reads one pair of brackets.
    ///
    /// - Parameter isFirst: whether the name begins with it, so that the content is an array.
    private static func bracket(_ rest: inout ArraySlice<UInt8>, isFirst: Bool, of text: String) throws -> Step {
      guard rest.popFirst() == open else { throw failure(text, "has text outside of brackets after a bracket") }
      let (word, isEscaped) = word(&rest)
      guard rest.popFirst() == close else { throw failure(text, "lacks the bracket ] after [\(string(word))") }
      if word.isEmpty, !isEscaped { return .append }
      guard !isEscaped, isNumber(word) else {
        guard !isFirst else { throw failure(text, "begins with a key in brackets. Write \(string(word)) without them") }
        return .key(key(word, isEscaped))
      }
      guard let index = Int(string(word)), (0...maximumIndex).contains(index) else {
        throw failure(text, "has the index \(string(word)); an index is a number from 0 to \(maximumIndex)")
      }
      return .index(index)
    }

    /// Takes the bytes before the next bracket, without the backslashes before brackets and backslashes.
    ///
    /// - Returns: the bytes, and whether there was such a backslash.
    private static func word(_ rest: inout ArraySlice<UInt8>) -> (bytes: [UInt8], isEscaped: Bool) {
      var (bytes, isEscaped): ([UInt8], Bool) = ([], false)
      while let byte = rest.first, byte != open, byte != close {
        rest.removeFirst()
        if byte == backslash, let next = rest.first, [open, close, backslash].contains(next) {
          isEscaped = true
          bytes.append(next)
          rest.removeFirst()
        } else {
          bytes.append(byte)
        }
      }
      return (bytes, isEscaped)
    }

    /// Returns a key, without the backslash that makes a number a key.
    private static func key(_ word: [UInt8], _ isEscaped: Bool) -> String {
      let isNumberAsKey = !isEscaped && word.first == backslash && isNumber(Array(word.dropFirst()))
      return string(isNumberAsKey ? Array(word.dropFirst()) : word)
    }

    private static func isNumber(_ word: [UInt8]) -> Bool {
      let digits = word.first == UInt8(ascii: "-") ? word.dropFirst() : word[...]
      return !digits.isEmpty && digits.allSatisfy { (0x30...0x39).contains($0) }
    }

    private static func failure(_ text: String, _ reason: String) -> CommandFailure {
      CommandFailure(
        #"The name \#(ControlEscaper.line(text)) \#(reason). A bracket in a key is written as \[ or \]."#, .usage)
    }

    private static func string(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    private static let open = UInt8(ascii: "[")
    private static let close = UInt8(ascii: "]")
    private static let backslash = UInt8(ascii: "\\")
  }
#endif
