import LupineCore

/// The result of checking `rspauth`, the server's proof that it has the password (RFC 7616 section 3.5).
enum DigestProof: Equatable {
  /// No proof, or none that can be checked before the body arrives.
  case missing
  case good
  case wrong

  /// Checks the proof in a response to an accepted answer.
  ///
  /// - Parameters:
  ///   - information: the parameters of `Authentication-Info` or `Proxy-Authentication-Info`.
  ///   - sent: the parameters of the answer.
  ///   - challenge: the challenge of the answer.
  ///   - hasBody: whether the response may have a body. A proof with `auth-int` covers the body, which has not arrived
  ///     yet.
  init(
    _ information: [String: String], to sent: [String: String], _ challenge: DigestChallenge?, _ credential: Credential,
    hasBody: Bool
  ) {
    guard let proof = information["rspauth"], let challenge, let protection = challenge.protection,
      information["qop"].map({ $0.lowercased() == protection.rawValue }) ?? true,
      protection == .request || !hasBody, let nonce = sent["nonce"],
      let clientNonce = sent["cnonce"], let count = sent["nc"].flatMap({ UInt32($0, radix: 16) }),
      let target = sent["uri"]
    else {
      self = .missing
      return
    }
    let turn = DigestTurn(challenge: challenge, nonce: nonce, clientNonce: clientNonce, count: count)
    let isEcho = ["nc", "cnonce"].allSatisfy { information[$0] == nil || information[$0] == sent[$0] }
    self = isEcho && turn.proof(credential, target: target) == proof.lowercased() ? .good : .wrong
  }
}
