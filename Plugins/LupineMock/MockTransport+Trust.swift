public import FoundationEssentials
import LupineCore
import Synchronization

extension MockTransport {
  /// Presents a certificate chain for a host, which the session's trust evaluators check at the session's date.
  ///
  /// A chain is needed for every `https` host that has an evaluator in the session, and for all `https` hosts if the
  /// session sets certificate authorities. Without a chain, the requests fail as with a server that has no certificate.
  /// The mock does not verify the chain: the result of a verification with the system's or the session's roots is given
  /// here. The last chain that was set for a host counts.
  ///
  /// - Parameters:
  ///   - chain: the certificates in DER, the server's own first.
  ///   - host: the host as in the URL.
  ///   - verifiedChain: the chain that the transport's own verification found, up to the root. Default: none.
  ///   - verificationFailure: why that verification failed. Default: it succeeded.
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
    let isJudged = context.judgesServers
    guard isJudged || state.withLock({ !$0.chains.isEmpty }), request.url.scheme == .https else { return }
    let host = request.url.host
    if let chain = state.withLock({ $0.chains[host] }) { return try judge(chain, of: request.url, in: context) }
    guard isJudged else { return }
    let reason = context.evaluator == nil ? "names certificate authorities" : "has a trust evaluator for \(host)"
    throw LupineError(
      .certificateRejected,
      """
      The session \(reason), but the mock has no certificates of \(host) to show. Present some:
          mock.presents(chain: [certificateInDER], for: "\(host)")
      """)
  }

  private func judge(
    _ chain: PresentedChain, of url: HTTPURL, in context: TransferContext
  ) throws(LupineError) {
    let host = url.host
    let trust = ServerTrust(
      host: host, port: url.effectivePort, presentedChain: chain.presented, verifiedChain: chain.verified,
      verificationFailure: chain.verificationFailure, stapledOCSPResponse: chain.stapledOCSPResponse,
      certificateAuthorities: context.identity.certificateAuthorities,
      additionalCertificateAuthorities: context.identity.additionalCertificateAuthorities, now: context.now(),
      warn: { context.emit(.warning($0)) })
    do {
      if let failure = chain.verificationFailure, context.evaluator?.replacesVerification != true {
        throw UnverifiedChain(failure)
      }
      try context.evaluator?.evaluate(trust)
    } catch {
      throw LupineError(
        .certificateRejected, "The certificates presented for \(host) were judged and refused: \(error).",
        underlying: error)
    }
  }
}
