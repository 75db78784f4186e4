public import HTTPTypes
public import LupineCore
import LupineSupport

/// The Digest scheme (RFC 7616) with MD5, SHA-256 and SHA-512/256, for sessions (`-sess`) too.
///
/// The strongest algorithm that a server offers answers. Once a credential was accepted, later requests that bring it to
/// the same origin and realm carry an answer at once, with the nonce that the server last named. Of `auth` and
/// `auth-int` the former is preferred, since the latter reads the body twice.
///
/// A server may prove in turn that it knows the password (`rspauth`). A wrong proof is a warning among the session's
/// events and not an error, since an impostor would leave the proof out; to have one, require it.
public struct DigestScheme: AuthenticationScheme {
  /// `Digest`.
  public let name = "Digest"
  private let memory = DigestMemory()
  private let requiresMutualAuthentication: Bool

  /// A scheme that remembers nothing yet; its copies share what they learn.
  ///
  /// - Parameter requiresMutualAuthentication: whether a response without a good proof that the server, or a proxy that
  ///   forwards, knows the password too is an error of kind `serverNotAuthenticated`; a proxy's tunnel is not judged. Few
  ///   servers give one. A proof of `auth-int` covers the response's body, and what ends the request ends it at the head:
  ///   it is read where there is no body (status 204 or `Content-Length: 0`), and counts as none elsewhere. Default: false.
  public init(requiresMutualAuthentication: Bool = false) {
    self.requiresMutualAuthentication = requiresMutualAuthentication
  }

  /// Stronger than Basic; by its algorithm among its like.
  public func strength(of challenge: AuthenticationChallenge) -> Int {
    DigestAlgorithm(challenge.parameters["algorithm"])?.strength ?? 1
  }

  /// Whether only the nonce was too old.
  public func isRenewal(_ challenge: AuthenticationChallenge) -> Bool { DigestChallenge.isStale(challenge) }

  /// The answer to a challenge; `nil` where the challenge is malformed or offers nothing known.
  ///
  /// - Throws: `LupineError` of kind `invalidRequest` for a control byte in the name or the password, and `bodyFailed`
  ///   where `auth-int` needs a body that cannot be read.
  public func answer(
    _ challenge: AuthenticationChallenge, with credential: Credential, in context: AuthenticationContext
  ) async throws -> String? {
    guard let challenge = DigestChallenge(challenge) else { return nil }
    try check(credential)
    let space = DigestMemory.Space(origin: context.origin, recipient: context.recipient, realm: challenge.realm)
    let turn = memory.turn(for: challenge, in: space, with: credential) {
      Hexadecimal.text(context.random(), digits: 16) + Hexadecimal.text(context.random(), digits: 16)
    }
    return try await value(turn, credential, context)
  }

  /// The answer for a place where the credential was accepted before.
  public func authorizePreemptively(with credential: Credential, in context: AuthenticationContext) async throws
    -> String?
  {
    guard let turn = memory.turn(anticipating: context, with: credential) else { return nil }
    return try await value(turn, credential, context)
  }

  /// Learns whether the answer was accepted, whether who took it knows the password too, and which nonce it wants next
  /// (RFC 7616 section 3.5).
  ///
  /// - Throws: `LupineError` of kind `serverNotAuthenticated` where a proof is required and there is no good one.
  public func receive(_ head: HTTPResponse, with credential: Credential, in context: AuthenticationContext) throws {
    let recipient = context.recipient
    let own = context.request.headers[recipient.answerField] ?? ""
    guard let answer = AuthenticationChallenge.parse([own]).first, let realm = answer.parameters["realm"],
      let nonce = answer.parameters["nonce"]
    else { return }
    let sent = answer.parameters
    let space = DigestMemory.Space(origin: context.origin, recipient: recipient, realm: realm)
    if head.status.code == recipient.challengeStatus { return memory.forget(space, credential) }
    let information =
      head.headerFields[recipient.informationField]
      .flatMap { AuthenticationChallenge.parse(["Digest \($0)"]).first?.parameters } ?? [:]
    // What other requests have learned meanwhile is no measure for the proof of this one.
    let challenge = memory.challenge(in: space, for: credential, sent["cnonce"]) ?? DigestChallenge(answer)
    // A tunnel is opened once for many requests, and TLS proves who is at its end.
    if context.request.method != .connect {
      let hasBody = head.status != .noContent && head.headerFields[.contentLength] != "0"
      try judge(DigestProof(information, to: sent, challenge, credential, hasBody: hasBody), in: context)
    }
    memory.accept(space, credential, nonce: nonce, next: information["nextnonce"])
  }

  private func judge(_ proof: DigestProof, in context: AuthenticationContext) throws(LupineError) {
    guard proof != .good else { return }
    let who = context.recipient == .origin ? "server" : "proxy"
    if requiresMutualAuthentication {
      throw LupineError(
        .serverNotAuthenticated,
        "The \(who) did not prove that it knows the password (RFC 7616 section 3.5), as the session requires; what it says is not used."
      )
    }
    guard proof == .wrong else { return }
    context.warn(
      "The \(who)'s proof that it knows the password is wrong (rspauth): it may be an impostor, or mistaken about RFC 7616."
    )
  }

  private func value(
    _ turn: DigestTurn, _ credential: Credential, _ context: AuthenticationContext
  ) async throws -> String? {
    var bodyHash: String?
    if turn.challenge.protection == .requestAndBody {
      guard context.request.body.isReplayable else { return nil }
      bodyHash = try await BodyHash.hexadecimal(context.request.body, turn.challenge.algorithm.function)
      guard bodyHash != nil else { return nil }
    }
    return turn.value(
      credential, method: context.request.method.rawValue, target: context.requestTarget, bodyHash: bodyHash)
  }

  private func check(_ credential: Credential) throws(LupineError) {
    guard !credential.hasControlByte else {
      throw LupineError(
        .invalidRequest, "Neither the name nor the password for Digest authentication may have a control byte.")
    }
  }
}

extension AuthenticationScheme where Self == DigestScheme {
  /// The Digest scheme (RFC 7616).
  public static var digest: DigestScheme { DigestScheme() }
}
