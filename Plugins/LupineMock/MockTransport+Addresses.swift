import LupineCore
import Synchronization

extension MockTransport {
  /// Sets the addresses of a host, which the sessions' network policies check.
  ///
  /// By default, `localhost` has loopback addresses, and any other name has a public Internet address. Addresses from a
  /// session's own `resolve(_:to:)` take precedence.
  ///
  /// - Parameter answers: the addresses at each resolution in order; the last answer repeats. Text that is no address
  ///   is ignored.
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
