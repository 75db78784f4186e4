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

  /// Asks for a password on the terminal, which does not show it.
  enum PasswordPrompt {
    /// Returns the password; `nil` if the process has no terminal.
    ///
    /// Ctrl-C ends the process after the terminal shows typed text again.
    static func ask(_ question: String) -> String? {
      let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
      guard terminal >= 0 else { return nil }
      defer { close(terminal) }
      var before = termios()
      guard tcgetattr(terminal, &before) == 0 else { return nil }
      var silent = before
      silent.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
      tcsetattr(terminal, TCSAFLUSH, &silent)
      send(question, to: terminal)
      let answer = line(from: terminal)
      tcsetattr(terminal, TCSAFLUSH, &before)
      send("\n", to: terminal)
      guard let answer else { StandardOutput.endBySignal(SIGINT) }
      return answer
    }

    /// Reads one line; `nil` after Ctrl-C or Ctrl-D.
    private static func line(from terminal: Int32) -> String? {
      var bytes: [UInt8] = []
      var byte: UInt8 = 0
      while read(terminal, &byte, 1) == 1 {
        switch byte {
        case 0x0A, 0x0D: return String(decoding: bytes, as: UTF8.self)
        case 0x03, 0x04: return nil
        case 0x7F, 0x08: removeCharacter(&bytes)
        default: bytes.append(byte)
        }
      }
      return nil
    }

    private static func removeCharacter(_ bytes: inout [UInt8]) {
      while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
    }

    private static func send(_ text: String, to terminal: Int32) {
      let bytes = Array(text.utf8)
      _ = write(terminal, bytes, bytes.count)
    }
  }
#endif
