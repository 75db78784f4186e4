public import HTTPTypes
public import LupineCore
import LupineSupport

/// The Digest scheme (RFC 7616) with MD5, SHA-256 and SHA-512/256, also in their `-sess` variants.
///
/// The scheme answers the challenge with the strongest algorithm. After a server has accepted a credential, later
/// requests with that credential to the same origin and realm carry an answer from the start, with the server's latest
/// nonce. `auth` is preferred to `auth-int`, which reads the body twice.
///
/// A server may prove that it has the password, too (`rspauth`). By default a wrong proof is a warning in the session's
/// events and not an error, because an impostor would omit the proof.
public struct DigestScheme: AuthenticationScheme {
  /// The name `Digest`.
  public let name = "Digest"
  private let nonceStore = DigestNonceStore()
  private let requiresMutualAuthentication: Bool

  /// Creates a scheme without stored nonces; its copies share one store.
  ///
  /// - Parameter requiresMutualAuthentication: whether a response without a valid proof is an error of kind
  ///   `serverNotAuthenticated`. It applies to the server or to a forwarding proxy, not to a proxy's tunnel. Few
  ///   servers send a proof. A proof with `auth-int` covers the response's body, but the check takes place at the head:
  ///   it is possible only for a response without a body (status 204 or `Content-Length: 0`), and any other such proof
  ///   counts as missing. Default: false.
  public init(requiresMutualAuthentication: Bool = false) {
    self.requiresMutualAuthentication = requiresMutualAuthentication
  }

  /// Returns the strength of the algorithm, which is greater than that of Basic.
  public func strength(of challenge: AuthenticationChallenge) -> Int {
    DigestAlgorithm(challenge.parameters["algorithm"])?.strength ?? 1
  }

  /// Whether the challenge rejects only the nonce, as stale.
  public func isRenewal(_ challenge: AuthenticationChallenge) -> Bool { DigestChallenge.isStale(challenge) }

  /// Returns the answer; `nil` if the challenge is malformed or offers only unknown algorithms or protections.
  ///
  /// - Throws: `LupineError` of kind `invalidRequest` if the user name or the password has a control byte, and of kind
  ///   `bodyFailed` if `auth-int` requires a body that cannot be read.
  public func answer(
    _ challenge: AuthenticationChallenge, with credential: Credential, in context: AuthenticationContext
  ) async throws -> String? {
    guard let challenge = DigestChallenge(challenge) else { return nil }
    try check(credential)
    let space = DigestNonceStore.ProtectionSpace(
      origin: context.origin, recipient: context.recipient, realm: challenge.realm)
    let answer = nonceStore.answer(for: challenge, in: space, with: credential) {
      Hexadecimal.text(context.random(), digits: 16) + Hexadecimal.text(context.random(), digits: 16)
    }
    return try await value(answer, credential, context)
  }

  /// Returns the answer for a protection space that has accepted the credential.
  ///
  /// - Throws: the errors of `answer`.
  public func authorizePreemptively(with credential: Credential, in context: AuthenticationContext) async throws
    -> String?
  {
    guard let answer = nonceStore.answer(forRequestIn: context, with: credential) else { return nil }
    return try await value(answer, credential, context)
  }

  /// Records whether the server accepted the answer, checks its proof, and stores its next nonce (RFC 7616 section
  /// 3.5).
  ///
  /// - Throws: `LupineError` of kind `serverNotAuthenticated` if a proof is required and no valid one was sent.
  public func receive(_ head: HTTPResponse, with credential: Credential, in context: AuthenticationContext) throws {
    let recipient = context.recipient
    let own = context.request.headers[recipient.answerField] ?? ""
    guard let answer = AuthenticationChallenge.parse([own]).first, let realm = answer.parameters["realm"],
      let nonce = answer.parameters["nonce"]
    else { return }
    let sent = answer.parameters
    let space = DigestNonceStore.ProtectionSpace(origin: context.origin, recipient: recipient, realm: realm)
    if head.status.code == recipient.challengeStatus { return nonceStore.remove(space, credential) }
    let information =
      head.headerFields[recipient.informationField]
      .flatMap { AuthenticationChallenge.parse(["Digest \($0)"]).first?.parameters } ?? [:]
    // If another request has replaced the stored challenge, the challenge is derived from the answer's parameters.
    let challenge = nonceStore.challenge(in: space, for: credential, sent["cnonce"]) ?? DigestChallenge(answer)
    // TLS authenticates the server at the end of a tunnel.
    if context.request.method != .connect {
      let hasBody = head.status != .noContent && head.headerFields[.contentLength] != "0"
      try verify(DigestProof(information, to: sent, challenge, credential, hasBody: hasBody), in: context)
    }
    nonceStore.recordAcceptance(space, credential, nonce: nonce, next: information["nextnonce"])
  }

  private func verify(_ proof: DigestProof, in context: AuthenticationContext) throws(LupineError) {
    guard proof != .valid else { return }
    let who = context.recipient == .origin ? "server" : "proxy"
    if requiresMutualAuthentication {
      throw LupineError(
        .serverNotAuthenticated,
        "The \(who) did not prove that it knows the password (RFC 7616 section 3.5), which the session requires; its response is not used."
      )
    }
    guard proof == .invalid else { return }
    context.warn(
      "The \(who) sent an invalid proof that it knows the password (rspauth): it may be an impostor, or implement RFC 7616 incorrectly."
    )
  }

  private func value(
    _ answer: DigestAnswer, _ credential: Credential, _ context: AuthenticationContext
  ) async throws -> String? {
    var bodyHash: String?
    if answer.challenge.protection == .requestAndBody {
      guard context.request.body.isReplayable else { return nil }
      bodyHash = try await BodyHash.hexadecimal(context.request.body, answer.challenge.algorithm.function)
      guard bodyHash != nil else { return nil }
    }
    return answer.value(
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
