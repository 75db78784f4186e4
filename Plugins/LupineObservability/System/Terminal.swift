import LupineSupport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file descriptor for text output, which may be a terminal.
public struct Terminal: Sendable {
  private let descriptor: Int32
  private let kind: String?

  /// Wraps a descriptor, which the caller owns.
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

  /// Whether the descriptor is a terminal that can redraw a line.
  public var isTerminal: Bool { isatty(descriptor) == 1 && kind != "dumb" }

  /// The terminal's width in columns; 80 if it is unknown.
  public var width: Int {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  func write(_ text: String) {
    // A failed write does not affect the transfer.
    Array(text.utf8).withUnsafeBytes { _ = $0.write(to: descriptor) }
  }
}
