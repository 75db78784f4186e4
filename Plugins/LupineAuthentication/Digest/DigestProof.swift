import LupineCore

/// What became of a server's proof that it knows the password, `rspauth` (RFC 7616 section 3.5).
enum DigestProof: Equatable {
  /// There is none, or none that can be read at the head.
  case missing
  case good
  case wrong

  /// Judges what a server said after it accepted an answer.
  ///
  /// - Parameters:
  ///   - information: the parameters of `Authentication-Info`.
  ///   - sent: the parameters of the answer.
  ///   - challenge: what the answer came from.
  ///   - hasBody: whether the response may have a body, which a proof of `auth-int` covers, and which comes too late for it.
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
