import LupineCore
import LupineFoundation
import LupineX509

/// The checks that several evaluators share.
struct TrustEvaluation {
  let trust: ServerTrust
  /// The verified certificates, in which pins are searched.
  ///
  /// Without validation of the chain, it contains only the server's own certificate, whose key the handshake proves.
  let chain: [Certificate]

  /// - Parameters:
  ///   - performDefaultValidation: whether a chain to a root is required.
  ///   - validateHost: whether the certificate must match the host.
  ///   - anchors: the only trusted certificates; `nil` means the session's roots.
  init(
    _ trust: ServerTrust, performDefaultValidation: Bool, validateHost: Bool, anchors: [Certificate]? = nil
  ) throws(TrustFailure) {
    self.trust = trust
    let verifier = ChainVerifier(trust: trust)
    if performDefaultValidation {
      chain = if let anchors { try verifier.verified(anchors: anchors) } else { try verifier.verified() }
    } else {
      chain = [try verifier.presented()[0]]
    }
    if validateHost {
      try checkHost()
      try checkConstraints()
    }
  }

  /// Throws unless the chain contains a pinned certificate or key.
  func require(_ isPinned: (Certificate) -> Bool, _ kind: String) throws(TrustFailure) {
    if chain.contains(where: isPinned) { return }
    throw TrustFailure(
      .pin, trust, chain.first,
      "none of the \(chain.count) certificates of the verified chain has a pinned \(kind); their pins are "
        + chain.map(\.publicKeyPin.description).joined(separator: ", "),
      advice:
        "If the server's key was replaced on purpose, pin the new one; if not, an attacker may intercept the connection."
    )
  }

  private func checkHost() throws(TrustFailure) {
    guard let leaf = chain.first, !leaf.matches(host: trust.host) else { return }
    let names = leaf.names
    let some = names.prefix(10).joined(separator: ", ") + (names.count > 10 ? " and \(names.count - 10) more" : "")
    throw TrustFailure(
      .hostName, trust, leaf,
      names.isEmpty
        ? "the certificate contains no host name" : "the certificate does not match the host; it is for \(some)",
      advice: "Request the server by a name of its certificate, or give it a certificate for this name.")
  }

  /// Checks the host against the name constraints of the chain's authorities.
  ///
  /// A wildcard in a certificate may cover names that the constraints exclude.
  private func checkConstraints() throws(TrustFailure) {
    let authority = chain.dropFirst().first { !NameConstraints.permits(trust.host, $0.handle.pointer) }
    guard let authority else { return }
    throw TrustFailure(
      .hostName, trust, authority,
      "an authority of the chain may not sign for the host, by its name constraints (RFC 5280 section 4.2.1.10)",
      advice: "Give the server a certificate of another authority.")
  }
}
