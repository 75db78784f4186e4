import LupineCore
import LupineDoubles
public import LupineFoundation
import LupineSupport
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
    let isEvaluated = context.judgesServers
    guard isEvaluated || state.withLock({ !$0.chains.isEmpty }), request.url.scheme == .https else { return }
    let host = request.url.host
    if let chain = state.withLock({ $0.chains[host] }) { return try evaluate(chain, of: request.url, in: context) }
    guard isEvaluated else { return }
    let reason = context.evaluator == nil ? "names certificate authorities" : "has a trust evaluator for \(host)"
    throw LupineError(
      .certificateRejected,
      """
      The session \(reason), but the mock has no certificates of \(host). Add them:
          mock.presents(chain: [certificateInDER], for: "\(host)")
      """)
  }

  private func evaluate(
    _ chain: PresentedChain, of url: HTTPURL, in context: TransferContext
  ) throws(LupineError) {
    let host = url.host
    let trust = ServerTrust(
      host: host, port: url.effectivePort, presentedChain: chain.presented, verifiedChain: chain.verified,
      verificationFailure: chain.verificationFailure, stapledOCSPResponse: chain.stapledOCSPResponse,
      certificateAuthorities: context.connectionKey.certificateAuthorities,
      additionalCertificateAuthorities: context.connectionKey.additionalCertificateAuthorities, now: context.now(),
      warn: { context.emit(.warning($0)) })
    do {
      if let failure = chain.verificationFailure, context.evaluator?.replacesVerification != true {
        throw ChainVerificationFailure(failure)
      }
      try context.evaluator?.evaluate(trust)
    } catch {
      throw LupineError(
        .certificateRejected, "The certificates presented for \(host) were evaluated and refused: \(error).",
        underlying: error)
    }
  }
}

extension MockTransport {
  /// Sets the addresses of a host, which the sessions' network policies check.
  ///
  /// By default, `localhost` has loopback addresses, and any other name has a public Internet address. The addresses of a
  /// session's own `resolve(_:to:)` and `resolver(_:)` take precedence.
  ///
  /// - Parameter answers: the addresses at each resolution in order; the last answer repeats. Text that is no address
  ///   is ignored.
  public func resolves(_ host: String, to answers: [String]...) {
    state.withLock { $0.addresses[host.lowercased()] = answers.map { $0.compactMap { IPAddress($0) } } }
  }

  /// Asks the session's resolver, and refuses a request whose host has no address that the policy allows, as a transport
  /// does before it connects.
  func checkAddresses(for request: OutgoingRequest, in context: TransferContext) async throws(LupineError) {
    let host = request.url.host
    let addresses: [IPAddress]
    if let literal = IPAddress(host: host) {
      addresses = [literal]
    } else if let named = context.connectionKey.resolverOverrides.addresses(of: host) {
      addresses = named
    } else if let resolver = context.resolver, Self.resolvesNames(in: context), IPAddress.ofThisMachine(host) == nil {
      addresses = try await ask(resolver, host, in: context)
    } else {
      addresses = imitatedAddresses(of: host)
    }
    guard let policy = context.connectionKey.networkPolicy, !addresses.contains(where: policy.allows),
      let address = addresses.first
    else { return }
    throw NetworkPolicy.refusal(of: address, for: request.url)
  }

  /// Whether a client with this context resolves the names of servers itself.
  ///
  /// False if a proxy resolves them, and over a Unix-domain socket, where no name is resolved.
  private static func resolvesNames(in context: TransferContext) -> Bool {
    context.connectionKey.unixSocket == nil && context.connectionKey.proxy?.resolvesNamesHere ?? true
  }

  /// Asks the session's resolver; the connect timeout, the cancellation of the exchange and the shutdown end the wait.
  private func ask(
    _ resolver: HostResolver, _ host: String, in context: TransferContext
  ) async throws(LupineError) -> [IPAddress] {
    let exchange = try running.enter(context)
    defer { running.leave(exchange) }
    let time = SessionClock(context.clock, executor: context.executor)
    let begin = time.now()
    let timer = context.connectTimeout.map { limit in
      time.schedule(limit) {
        exchange.interrupt(LupineError(.timedOut(.connect), "The lookup of the host's name did not finish in time."))
      }
    }
    defer { timer?.cancel() }
    let addresses = try await exchange.run(on: context.executor) { () throws(LupineError) in
      try await resolver.addresses(of: host, on: context.executor)
    }
    context.emit(.nameResolved(host: host, after: time.now() - begin))
    return addresses
  }

  /// Returns the addresses that `resolves(_:to:)` has set, or those of an imagined Internet.
  private func imitatedAddresses(of host: String) -> [IPAddress] {
    let answer = state.withLock { state -> [IPAddress]? in
      guard let answers = state.addresses[host] else { return nil }
      if answers.count > 1 { state.addresses[host] = Array(answers.dropFirst()) }
      return answers.first
    }
    if let answer { return answer }
    return [IPAddress(host == "localhost" ? "127.0.0.1" : "93.184.215.14")].compactMap(\.self)
  }
}

extension MockTransport {
  /// Performs an exchange when the session's limits on the number of concurrent exchanges permit it.
  func withConnectionLimit(
    _ options: ConnectionOptions, _ request: OutgoingRequest, in context: TransferContext,
    _ exchange: () async throws(LupineError) -> TransportResponse
  ) async throws(LupineError) -> TransportResponse {
    let (id, wait) = state.withLock { $0.connectionQueue.enter(request, options) }
    do throws(LupineError) {
      if let wait { try await self.wait(wait, in: context) }
      let response = try await exchange()
      response.body.onEnd { [self] _ in leaveQueue(id, request.url) }
      return response
    } catch {
      leaveQueue(id, request.url)
      throw error
    }
  }

  private func wait(_ wait: MockConnectionQueue.Wait, in context: TransferContext) async throws(LupineError) {
    context.emit(.queued(reason: wait.reason))
    let exchange = try running.enter(context)
    defer { running.leave(exchange) }
    try await exchange.run(on: context.executor) { () throws(LupineError) in _ = await wait.turn.value() }
  }

  private func leaveQueue(_ id: UInt64, _ url: HTTPURL) {
    for turn in state.withLock({ $0.connectionQueue.leave(id, url) }) { turn.resume(returning: ()) }
  }
}
