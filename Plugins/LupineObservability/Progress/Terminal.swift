import Glibc
import LupineCore

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
    // A terminal that takes no more is no matter of the transfer's.
    Array(text.utf8).withUnsafeBytes { _ = $0.write(to: descriptor) }
  }
}
