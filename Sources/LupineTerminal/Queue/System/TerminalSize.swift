#if Terminal
  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Android)
    import Android
  #elseif canImport(Darwin)
    import Darwin
  #endif

  /// The size of the terminal of standard output.
  struct TerminalSize {
    let rows: Int
    let columns: Int

    /// `nil` if standard output is no terminal, or one without movements of the cursor (`TERM=dumb`).
    static var ofOutput: TerminalSize? {
      guard isatty(1) == 1, StandardOutput.variable("TERM") != "dumb" else { return nil }
      var size = winsize()
      guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
        return TerminalSize(rows: 24, columns: 80)
      }
      return TerminalSize(rows: Int(size.ws_row), columns: Int(size.ws_col))
    }
  }
#endif
