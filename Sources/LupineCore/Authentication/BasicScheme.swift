import FoundationEssentials
public import HTTPTypes
import Synchronization

/// The Basic scheme (RFC 7617), in UTF-8.
///
/// A server or a proxy gets the password after its challenge. A proxy that has accepted it gets it without a challenge
/// from then on.
public struct BasicScheme: AuthenticationScheme {
  /// `Basic`.
  public let name = "Basic"
  /// Whether a proxy gets the credential before its challenge, because no stronger scheme is available.
  private let greetsProxies: Bool
  private let memory = BasicMemory()

  /// Creates the scheme.
  public init() { self.init(greetsProxies: false) }

  package init(greetsProxies: Bool) { self.greetsProxies = greetsProxies }

  /// The lowest strength, because the scheme sends the password itself.
  public func strength(of challenge: AuthenticationChallenge) -> Int { 0 }

  /// Returns the username and the password in Base64.
  ///
  /// - Throws: `LupineError` of kind `invalidRequest` for a colon in the username or a control byte in either.
  public func answer(
    _ challenge: AuthenticationChallenge, with credential: Credential, in context: AuthenticationContext
  ) async throws -> String? {
    try Self.value(for: credential)
  }

  /// Returns the answer for a proxy that accepted the credential before; `nil` for a server.
  public func authorizePreemptively(with credential: Credential, in context: AuthenticationContext) async throws
    -> String?
  {
    guard context.recipient != .origin else { return nil }
    let isWelcome = greetsProxies || memory.isAccepted(credential, by: context.origin)
    return isWelcome ? try Self.value(for: credential) : nil
  }

  /// Records whether a proxy accepted the credential.
  public func receive(_ head: HTTPResponse, with credential: Credential, in context: AuthenticationContext) {
    guard context.recipient != .origin else { return }
    memory.note(credential, isAccepted: head.status.code != context.recipient.challengeStatus, by: context.origin)
  }

  static func value(for credential: Credential) throws(LupineError) -> String {
    guard !credential.username.utf8.contains(UInt8(ascii: ":")), !credential.hasControlByte else {
      throw LupineError(
        .invalidRequest, "A name for Basic authentication has no colon, and neither name nor password a control byte.")
    }
    return value(credential.username, credential.password)
  }

  /// Returns the field value for a username and a password.
  static func value(_ username: String, _ password: String) -> String {
    "Basic " + Data("\(username):\(password)".utf8).base64EncodedString()
  }
}

extension AuthenticationScheme where Self == BasicScheme {
  /// The Basic scheme (RFC 7617).
  public static var basic: BasicScheme { BasicScheme() }
}

/// The credential that each proxy of a session accepted last.
final class BasicMemory: Sendable {
  /// A dictionary in a struct, because a `Mutex` of a bare dictionary looks up its type metadata when it is destroyed,
  /// also in a session without a proxy.
  private struct State {
    var accepted: [HTTPURL.Origin: Credential] = [:]
  }

  private let state = Mutex(State())

  func isAccepted(_ credential: Credential, by proxy: HTTPURL.Origin) -> Bool {
    state.withLock { $0.accepted[proxy] == credential }
  }

  func note(_ credential: Credential, isAccepted: Bool, by proxy: HTTPURL.Origin) {
    state.withLock { state in
      if isAccepted {
        state.accepted[proxy] = credential
      } else if state.accepted[proxy] == credential {
        state.accepted[proxy] = nil
      }
    }
  }
}
