public import FoundationEssentials
import LupineCore
import Synchronization

extension MockTransport {
  /// Presents a chain of certificates for a host, to be judged by the session's trust evaluators, at the session's date.
  ///
  /// Needed for every `https` host that the session has an evaluator for, and for all of them where it names certificate
  /// authorities: without a chain the requests fail, as they do where a server has no certificate. The mock verifies no
  /// chain itself: what it would find by the system's or the session's roots is said here. The last chain given for a
  /// host counts.
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
