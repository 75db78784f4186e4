import FoundationEssentials
public import HTTPTypes
import Synchronization

/// The Basic scheme (RFC 7617), in UTF-8.
///
/// A server is sent the password when it asks, a proxy too; one that has accepted it once is sent it unasked from then on.
public struct BasicScheme: AuthenticationScheme {
  /// `Basic`.
  public let name = "Basic"
  /// Whether a proxy is sent the credential before it asks, as where no stronger scheme could answer.
  private let greetsProxies: Bool
  private let memory = BasicMemory()

  /// The scheme has nothing to set.
  public init() { self.init(greetsProxies: false) }

  package init(greetsProxies: Bool) { self.greetsProxies = greetsProxies }

  /// The weakest of all: the password itself is sent.
  public func strength(of challenge: AuthenticationChallenge) -> Int { 0 }

  /// The name and the password in Base64.
  ///
  /// - Throws: `LupineError` of kind `invalidRequest` for a colon in the name or a control byte in either.
  public func answer(
    _ challenge: AuthenticationChallenge, with credential: Credential, in context: AuthenticationContext
  ) async throws -> String? {
    try Self.value(for: credential)
  }

  /// The answer for a proxy that accepted the credential before; nothing for a server.
  public func authorizePreemptively(with credential: Credential, in context: AuthenticationContext) async throws
    -> String?
  {
    guard context.recipient != .origin else { return nil }
    let isWelcome = greetsProxies || memory.isAccepted(credential, by: context.origin)
    return isWelcome ? try Self.value(for: credential) : nil
  }

  /// Learns whether a proxy accepted the credential.
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

  /// The answer with a name and a password as they are.
  static func value(_ username: String, _ password: String) -> String {
    "Basic " + Data("\(username):\(password)".utf8).base64EncodedString()
  }
}

extension AuthenticationScheme where Self == BasicScheme {
  /// The Basic scheme (RFC 7617).
  public static var basic: BasicScheme { BasicScheme() }
}

/// Which credential each proxy of a session accepted last.
final class BasicMemory: Sendable {
  /// A dictionary in a struct: the lock around a bare one asks for the dictionary's type when it ends, in a session without a
  /// proxy too, which takes the runtime 250,000 instructions.
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
