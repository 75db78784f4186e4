import LupineCore
import Synchronization

extension MockTransport {
  /// Names the addresses that a host has, for the sessions' network policies to judge.
  ///
  /// `localhost` has those of loopback; a name that nobody told the mock of has one of the public Internet's. What a
  /// session's own `resolve(_:to:)` names counts before this.
  ///
  /// - Parameter answers: the addresses at each resolution in turn; the last answer repeats. Text that is no address is
  ///   left out.
  public func resolves(_ host: String, to answers: [String]...) {
    state.withLock { $0.addresses[host.lowercased()] = answers.map { $0.compactMap { IPAddress($0) } } }
  }

  /// Refuses a request whose host has no address that the policy allows, as a transport does before it connects.
  func checkPolicy(for request: OutgoingRequest, in context: TransferContext) throws(LupineError) {
    guard let policy = context.identity.networkPolicy else { return }
    let host = request.url.host
    let addresses = addresses(of: host, context.identity.resolverOverrides)
    guard !addresses.contains(where: policy.allows), let address = addresses.first else { return }
    throw NetworkPolicyRefusal.error(address, request.url)
  }

  private func addresses(of host: String, _ overrides: ResolverOverrides) -> [IPAddress] {
    if let literal = IPAddress(host) { return [literal] }
    if let named = overrides.addresses(of: host) { return named }
    let answer = state.withLock { state -> [IPAddress]? in
      guard let answers = state.addresses[host] else { return nil }
      if answers.count > 1 { state.addresses[host] = Array(answers.dropFirst()) }
      return answers.first
    }
    if let answer { return answer }
    return [IPAddress(host == "localhost" ? "127.0.0.1" : "93.184.215.14")].compactMap(\.self)
  }
}
