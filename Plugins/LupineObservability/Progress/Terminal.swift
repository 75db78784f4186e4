import Glibc

/// A descriptor that text is written to, which may be a terminal.
public struct Terminal: Sendable {
  private let descriptor: Int32
  private let kind: String?

  /// Writes to a descriptor, which stays its opener's.
  public init(descriptor: Int32) {
    self.init(descriptor: descriptor, kind: getenv("TERM").map { String(cString: $0) })
  }

  init(descriptor: Int32, kind: String?) {
    self.descriptor = descriptor
    self.kind = kind
  }

  /// The standard output.
  public static let standardOutput = Terminal(descriptor: 1)

  /// The standard error.
  public static let standardError = Terminal(descriptor: 2)

  /// Whether a terminal is behind it that can draw a line anew.
  public var isTerminal: Bool { isatty(descriptor) == 1 && kind != "dumb" }

  /// The terminal's columns; 80 where it does not say.
  public var width: Int {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  func write(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno != EINTR { return }
      rest = rest.dropFirst(max(0, count))
    }
  }
}
