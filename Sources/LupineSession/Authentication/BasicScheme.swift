import HTTPTypes
import LupineCore
import Synchronization

/// The Basic scheme (RFC 7617), in UTF-8.
///
/// A server or a proxy receives the password after its challenge. A proxy that has accepted the password then receives
/// it without a challenge.
struct BasicScheme: AuthenticationScheme {
  /// `Basic`.
  let name = "Basic"
  /// Whether a proxy receives the credential before its challenge, because no stronger scheme is available.
  private let authorizesProxiesPreemptively: Bool
  private let memory = BasicMemory()

  init(authorizesProxiesPreemptively: Bool) { self.authorizesProxiesPreemptively = authorizesProxiesPreemptively }

  /// The lowest strength, because the scheme sends the password itself.
  func strength(of challenge: AuthenticationChallenge) -> Int { 0 }

  /// Returns the username and the password in Base64.
  ///
  /// - Throws: `LupineError` of kind `invalidRequest` for a colon in the username or a control byte in either.
  func answer(
    _ challenge: AuthenticationChallenge, with credential: Credential, in context: AuthenticationContext
  ) async throws -> String? {
    try Self.value(for: credential)
  }

  /// Returns the answer for a proxy that accepted the credential before; `nil` for a server.
  func authorizePreemptively(with credential: Credential, in context: AuthenticationContext) async throws
    -> String?
  {
    guard context.recipient != .origin else { return nil }
    let isWelcome = authorizesProxiesPreemptively || memory.isAccepted(credential, by: context.origin)
    return isWelcome ? try Self.value(for: credential) : nil
  }

  /// Records whether a proxy accepted the credential.
  func receive(_ head: HTTPResponse, with credential: Credential, in context: AuthenticationContext) {
    guard context.recipient != .origin else { return }
    memory.note(credential, isAccepted: head.status.code != context.recipient.challengeStatus, by: context.origin)
  }

  private static func value(for credential: Credential) throws(LupineError) -> String {
    if let issue = credential.issueWithBasic { throw LupineError(.invalidRequest, issue) }
    return HTTPField.authorization(username: credential.username, password: credential.password).value
  }
}

/// The credential that each proxy of a session accepted last.
final class BasicMemory: Sendable {
  private let accepted = Mutex<[HTTPURL.Origin: Credential]>([:])

  func isAccepted(_ credential: Credential, by proxy: HTTPURL.Origin) -> Bool {
    accepted.withLock { $0[proxy] == credential }
  }

  func note(_ credential: Credential, isAccepted: Bool, by proxy: HTTPURL.Origin) {
    accepted.withLock { accepted in
      if isAccepted {
        accepted[proxy] = credential
      } else if accepted[proxy] == credential {
        accepted[proxy] = nil
      }
    }
  }
}
