/// A username and a password.
///
/// Its description omits the password.
public struct Credential: Sendable, Hashable, HidesSecrets {
  /// The username.
  public let username: String
  /// The password.
  public let password: String

  /// Creates a credential.
  public init(username: String, password: String) {
    self.username = username
    self.password = password
  }

  /// Whether the username or the password has a control byte, which no scheme can send.
  public var hasControlByte: Bool { [username, password].contains { $0.utf8.contains { $0 < 0x20 || $0 == 0x7F } } }

  /// The reason why the Basic scheme (RFC 7617) cannot send the credential; `nil` if it can.
  public var issueWithBasic: String? {
    guard username.utf8.contains(UInt8(ascii: ":")) || hasControlByte else { return nil }
    return "For Basic authentication the name must not have a colon, and neither name nor password a control byte."
  }

  /// The username only.
  public var description: String { "Credential(\(username))" }
}

/// A challenge, passed to a program that supplies credentials itself.
public struct CredentialRequest: Sendable {
  /// The URL of the challenged request.
  ///
  /// Its query may be secret.
  public let url: HTTPURL
  /// The challenges that a scheme of the session can answer, the strongest first.
  public let challenges: [AuthenticationChallenge]
  /// The number of credentials that were already refused for this request.
  public let previousFailureCount: Int
  /// The name of the credential that the request asks for (`CredentialName`); `nil` if it names none.
  public let name: String?

  /// Creates a value, as in a test of a provider.
  public init(
    url: HTTPURL, challenges: [AuthenticationChallenge], previousFailureCount: Int = 0, name: String? = nil
  ) {
    self.url = url
    self.challenges = challenges
    self.previousFailureCount = previousFailureCount
    self.name = name
  }

  /// The protection space of the strongest challenge, if the server sent one.
  public var realm: String? { challenges.first?.realm }
}

/// The name of the credential that a request needs, for a provider or an adapter that has several.
///
/// The provider gets it as `CredentialRequest.name`. A redirect to another origin removes it.
/// `SessionRequest.option(_:_:)` sets it.
public enum CredentialName: RequestOptionKey {
  /// The name; `nil` if the request names none.
  public typealias Value = String?

  /// No name.
  public static var defaultValue: String? { nil }

  /// A credential belongs to its server.
  public static var isKeptAcrossOrigins: Bool { false }
}

/// Returns a credential for a challenge; `nil` keeps the 401 as the response.
///
/// The session calls it in a task of the request, off the caller's actor and off the transport's threads; calls for
/// different requests may be concurrent. It may wait, for example for a user. Cancelling the request cancels the task.
public typealias CredentialProvider = @Sendable (CredentialRequest) async throws -> Credential?

/// A credential that authenticates a connection and every request on it: NTLM or Negotiate.
///
/// Only a transport can implement these schemes. Its description omits the password.
public struct ConnectionCredential: Sendable, Hashable, HidesSecrets {
  /// A scheme that authenticates connections.
  public enum Scheme: String, Sendable, Hashable {
    /// NT LAN Manager, with a username such as `DOMAIN\name`.
    ///
    /// It is weak and old, and it does not authenticate the server.
    case ntlm = "NTLM"
    /// Kerberos through SPNEGO (RFC 4559).
    case negotiate = "Negotiate"
  }

  /// The scheme.
  ///
  /// There is no fallback to a weaker one.
  public let scheme: Scheme
  /// The username and the password; `nil` uses the tickets in the system's cache, as `kinit` obtains them.
  public let credential: Credential?

  /// Creates a credential for a scheme.
  public init(scheme: Scheme, credential: Credential? = nil) {
    self.scheme = scheme
    self.credential = credential
  }

  /// Negotiate with Kerberos and the tickets in the system's cache.
  public static var negotiate: ConnectionCredential { ConnectionCredential(scheme: .negotiate) }

  /// NTLM, with a username such as `DOMAIN\name`.
  public static func ntlm(username: String, password: String) -> ConnectionCredential {
    ConnectionCredential(scheme: .ntlm, credential: Credential(username: username, password: password))
  }

  /// The reasons why the credential cannot be used.
  ///
  /// `Session.Builder.build()` throws an error with them.
  public var issues: [String] {
    var issues: [String] = []
    if credential?.hasControlByte == true { issues.append("the name or the password has a control byte") }
    if scheme == .ntlm, credential == nil { issues.append("NTLM needs a name and a password") }
    return issues
  }

  /// The scheme and the username.
  public var description: String {
    "ConnectionCredential(\(scheme.rawValue)\(credential.map { ", \($0.username)" } ?? ""))"
  }
}
