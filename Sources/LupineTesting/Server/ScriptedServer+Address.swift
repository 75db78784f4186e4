extension ScriptedServer {
  /// The address of a server on this machine.
  public enum Address: Sendable, Hashable {
    /// A free port of 127.0.0.1.
    case ipv4
    /// A free port of `::1`.
    case ipv6
    /// A Unix domain socket at a path of at most 107 bytes.
    ///
    /// The path must not exist yet. The file is removed when the server stops.
    case unix(path: String)
  }
}
