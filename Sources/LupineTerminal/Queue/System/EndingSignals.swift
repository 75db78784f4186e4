#if Terminal
  import Dispatch

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Android)
    import Android
  #elseif canImport(Darwin)
    import Darwin
  #endif

  /// Calls a closure when SIGTERM or SIGINT arrives; the signal itself does not end the process.
  ///
  /// It also ignores SIGPIPE, so that the process goes on if the reader of its output has ended.
  final class EndingSignals: Sendable {
    private let cancelAll: @Sendable () -> Void

    init(_ action: @escaping @Sendable () -> Void) {
      signal(SIGPIPE, SIG_IGN)
      let sources = [SIGTERM, SIGINT].map { number in
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler { action() }
        source.resume()
        return source
      }
      nonisolated(unsafe) let kept = sources
      cancelAll = { for source in kept { source.cancel() } }
    }

    func cancel() { cancelAll() }
  }

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
