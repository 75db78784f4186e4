import LupineCore

/// Limits the rounds of NTLM or Negotiate on a connection, which a server or a proxy could extend without end.
struct ConnectionAuthentication {
  private static let maximum = 8
  private var count = 0

  /// Counts one round.
  ///
  /// - Throws: `LupineError` of kind `connectionFailed` or `proxyFailed` after more than 8 rounds.
  mutating func next(for proxy: Bool) throws(LupineError) {
    count += 1
    guard count > Self.maximum else { return }
    let (kind, who): (LupineError.Kind, String) = proxy ? (.proxyFailed, "proxy") : (.connectionFailed, "server")
    throw LupineError(kind, "The \(who) asked for a proof of the connection \(count) times; it never ends.")
  }
}
