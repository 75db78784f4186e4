#if Terminal
  /// A colour of a part of the output.
  enum Style: String {
    case key = "34;1"
    case string = "32"
    case number = "36"
    case literal = "35"
    case name = "36;1"
    case good = "32;1"
    case moved = "33;1"
    case bad = "31;1"
    case faint = "2"

    static let reset = "\u{1B}[0m"

    /// The sequence that begins the style.
    var start: String { "\u{1B}[\(rawValue)m" }

    /// Returns the text in the style if there are colours.
    func paint(_ text: String, if hasColours: Bool) -> String {
      hasColours ? start + text + Self.reset : text
    }

    /// The style of a status code.
    static func ofStatus(_ code: Int) -> Style {
      switch code {
      case ..<300: .good
      case ..<400: .moved
      default: .bad
      }
    }
  }
#endif
