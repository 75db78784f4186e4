#if Terminal
  import Synchronization

  /// A message of the program on the standard error.
  enum Message {
    private static let isQuiet = Mutex(false)

    /// Leaves out warnings and notices from now on.
    static func beQuiet() { isQuiet.withLock { $0 = true } }

    /// Writes a warning.
    static func warn(_ text: String) { note("warning: \(text)") }

    /// Writes what happens.
    static func note(_ text: String) {
      guard !isQuiet.withLock({ $0 }) else { return }
      explain("lupine: \(text)")
    }

    /// Writes why the program fails.
    static func fail(_ text: String) { explain("lupine: \(text)") }

    /// Writes a sentence, which a terminal breaks between words.
    static func explain(_ text: String) {
      let error = StandardOutput.error
      write(error.isTerminal ? TextLines.broken(ControlEscaper.lines(text), width: error.width) : text)
    }

    /// Writes a line, whose control characters are escaped.
    static func write(_ line: String) {
      // If the standard error is closed, there is nowhere to report that.
      try? StandardOutput.error.write(ControlEscaper.lines(line) + "\n")
    }
  }
#endif
