extension String {
  /// Returns the text on one line; characters that could move a terminal's cursor or hide text are written as `\u{1B}`.
  ///
  /// - Parameters:
  ///   - limit: the maximum number of characters; a longer text ends in `…`.
  ///   - indentation: the text after each line break; `nil` escapes line breaks as well.
  public func escapingControls(limit: Int = .max, indentation: String? = nil) -> String {
    var text = ""
    var count = 0
    for scalar in unicodeScalars {
      guard count < limit else { return text + "…" }
      count += 1
      if scalar == "\n", let indentation {
        text += "\n" + indentation
      } else if scalar.needsEscape {
        text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}

extension Unicode.Scalar {
  /// Whether a terminal would interpret the character: controls, and marks that change the text direction.
  fileprivate var needsEscape: Bool {
    switch value {
    case 0..<0x20, 0x7F..<0xA0, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
