import LupineCore

/// Counts the legs of a proof of the connection, which a server or a proxy could draw out for ever.
struct ConnectionAuthentication {
  private static let maximum = 8
  private var count = 0

  /// Counts one more.
  mutating func next(for proxy: Bool) throws(LupineError) {
    count += 1
    guard count > Self.maximum else { return }
    let (kind, who): (LupineError.Kind, String) = proxy ? (.proxyFailed, "proxy") : (.connectionFailed, "server")
    throw LupineError(kind, "The \(who) asked for a proof of the connection \(count) times; it never ends.")
  }
}
