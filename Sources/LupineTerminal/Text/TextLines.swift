#if Terminal
  /// Texts in lines that fit a terminal.
  enum TextLines {
    /// Returns the text with line breaks between words; a longer word has a line of its own.
    static func broken(_ text: String, width: Int) -> String {
      text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
        var lines = [""]
        for word in line.split(separator: " ", omittingEmptySubsequences: false) {
          let last = lines[lines.count - 1]
          if last.isEmpty {
            lines[lines.count - 1] = String(word)
          } else if last.count + 1 + word.count <= width {
            lines[lines.count - 1] = "\(last) \(word)"
          } else {
            lines.append(String(word))
          }
        }
        return lines.joined(separator: "\n")
      }.joined(separator: "\n")
    }
  }
#endif
