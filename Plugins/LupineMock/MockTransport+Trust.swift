public import FoundationEssentials
import LupineCore
import Synchronization

/// What a host presents in its TLS handshake.
struct PresentedChain: Sendable {
  let presented: [Data]
  let verified: [Data]?
  let verificationFailure: String?
  let stapledOCSPResponse: Data?
}

extension MockTransport {
  /// Presents a chain of certificates for a host, to be judged by the session's trust evaluators, at the session's date.
  ///
  /// Needed for every `https` host that the session has an evaluator for: without a chain its requests fail, as they do
  /// where a server has no certificate. The last chain given for a host counts.
  ///
  /// - Parameters:
  ///   - chain: the certificates in DER, the server's own first.
  ///   - host: the host as the URL has it.
  ///   - verifiedChain: what the transport's own verification found, up to the root. Default: nothing.
  ///   - verificationFailure: why that verification failed. Default: it did not.
  ///   - stapledOCSPResponse: the stapled OCSP response, in DER. Default: none.
  public func presents(
    chain: [Data], for host: String, verifiedChain: [Data]? = nil, verificationFailure: String? = nil,
    stapledOCSPResponse: Data? = nil
  ) {
    let presented = PresentedChain(
      presented: chain, verified: verifiedChain, verificationFailure: verificationFailure,
      stapledOCSPResponse: stapledOCSPResponse)
    state.withLock { $0.chains[host.lowercased()] = presented }
  }

  func evaluateTrust(for request: OutgoingRequest, in context: TransferContext) throws(LupineError) {
    guard let evaluator = context.evaluator, request.url.scheme == .https else { return }
    let host = request.url.host
    guard let chain = state.withLock({ $0.chains[host] }) else {
      throw LupineError(
        .certificateRejected,
        """
        The session has a trust evaluator for \(host), but the mock has no certificates to show it. Present some:
            mock.presents(chain: [certificateInDER], for: "\(host)")
        """)
    }
    let trust = ServerTrust(
      host: host, port: request.url.effectivePort, presentedChain: chain.presented, verifiedChain: chain.verified,
      verificationFailure: chain.verificationFailure, stapledOCSPResponse: chain.stapledOCSPResponse,
      certificateAuthorities: context.identity.certificateAuthorities,
      additionalCertificateAuthorities: context.identity.additionalCertificateAuthorities, now: context.now(),
      warn: { context.emit(.warning($0)) })
    do {
      if let failure = chain.verificationFailure, !evaluator.replacesVerification { throw UnverifiedChain(failure) }
      try evaluator.evaluate(trust)
    } catch {
      throw LupineError(
        .certificateRejected, "The certificates presented for \(host) were judged and refused: \(error).",
        underlying: error)
    }
  }
}
