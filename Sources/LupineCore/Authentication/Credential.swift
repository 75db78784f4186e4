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

/// What a server asks of a program that answers challenges itself.
public struct CredentialRequest: Sendable {
  /// The request that was challenged; its query may be secret.
  public let url: HTTPURL
  /// The challenges that some scheme of the session can answer, the strongest first.
  public let challenges: [AuthenticationChallenge]
  /// How many credentials were given for this request already, all of them refused.
  public let previousFailureCount: Int

  /// Joins the parts, as a test of a provider does.
  public init(url: HTTPURL, challenges: [AuthenticationChallenge], previousFailureCount: Int = 0) {
    self.url = url
    self.challenges = challenges
    self.previousFailureCount = previousFailureCount
  }

  /// The protection space of the strongest challenge, where the server named one.
  public var realm: String? { challenges.first?.realm }
}

/// Finds a credential for a challenge; `nil` leaves the 401 as the response.
public typealias CredentialProvider = @Sendable (CredentialRequest) async throws -> Credential?

/// What proves a whole connection to a server, and every request that goes over it: NTLM or Negotiate.
///
/// Only a transport can speak these schemes. Its description hides the password.
public struct ConnectionCredential: Sendable, Hashable, HidesSecrets {
  /// A scheme that proves connections.
  public enum Scheme: String, Sendable, Hashable {
    /// NT LAN Manager, with a name such as `DOMAIN\name`. It is weak and old; the server alone proves nothing.
    case ntlm = "NTLM"
    /// Kerberos through SPNEGO (RFC 4559).
    case negotiate = "Negotiate"
  }

  /// The scheme that is spoken; no weaker one is fallen back on.
  public let scheme: Scheme
  /// The name and the password; `nil` takes the tickets of the system's cache, as `kinit` gets them.
  public let credential: Credential?

  /// Proves connections with a scheme.
  public init(scheme: Scheme, credential: Credential? = nil) {
    self.scheme = scheme
    self.credential = credential
  }

  /// Kerberos, with the tickets of the system's cache.
  public static var negotiate: ConnectionCredential { ConnectionCredential(scheme: .negotiate) }

  /// NTLM, with a name such as `DOMAIN\name`.
  public static func ntlm(username: String, password: String) -> ConnectionCredential {
    ConnectionCredential(scheme: .ntlm, credential: Credential(username: username, password: password))
  }

  /// What makes it unfit to be spoken.
  package var problems: [String] {
    var problems: [String] = []
    if credential?.hasControlByte == true { problems.append("the name or the password has a control byte") }
    if scheme == .ntlm, credential == nil { problems.append("NTLM needs a name and a password") }
    return problems
  }

  /// The scheme and the name.
  public var description: String {
    "ConnectionCredential(\(scheme.rawValue)\(credential.map { ", \($0.username)" } ?? ""))"
  }
}
