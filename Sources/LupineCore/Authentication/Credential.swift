/// A user's name and password.
///
/// Its description hides the password.
public struct Credential: Sendable, Hashable, HidesSecrets {
  /// The name.
  public let username: String
  /// The password.
  public let password: String

  /// Joins a name and a password.
  public init(username: String, password: String) {
    self.username = username
    self.password = password
  }

  /// Whether the name or the password has a control byte, which no scheme can carry.
  public var hasControlByte: Bool { [username, password].contains { $0.utf8.contains { $0 < 0x20 || $0 == 0x7F } } }

  /// The name alone.
  public var description: String { "Credential(\(username))" }
}
