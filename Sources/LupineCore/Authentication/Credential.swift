/// A user's name and password.
///
/// Its description hides the password.
public struct Credential: Sendable, Hashable, CustomStringConvertible {
  /// The name.
  public let username: String
  /// The password.
  public let password: String

  /// Joins a name and a password.
  public init(username: String, password: String) {
    self.username = username
    self.password = password
  }

  /// The name alone.
  public var description: String { "Credential(\(username))" }
}
