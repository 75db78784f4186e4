import Glibc
import LupineCore
import Synchronization

/// Finds the addresses that a proxy is given, where names are resolved on this side.
enum TargetAddress {
  /// Whether there may be anything to find; of most exchanges there is not.
  static func isAsked(in context: TransferContext) -> Bool {
    let identity = context.identity
    return identity.networkPolicy != nil || identity.proxy?.resolvesNamesHere == true
  }

  /// The addresses of the URL's host that the network policy allows; none where the proxy, or libcurl, finds them.
  ///
  /// - Throws: `LupineError` of kind `hostNotFound` or `addressRefused`.
  static func find(for request: OutgoingRequest, in context: TransferContext) async throws(LupineError) -> [IPAddress] {
    let host = request.url.host
    guard let proxy = context.identity.proxy, proxy.resolvesNamesHere else {
      guard let policy = context.identity.networkPolicy, let literal = IPAddress(host), !policy.allows(literal) else {
        return []
      }
      throw NetworkPolicyRefusal.error(literal, request.url)
    }
    let addresses = try await addresses(of: host, context)
    guard let policy = context.identity.networkPolicy else { return addresses }
    let allowed = addresses.filter(policy.allows)
    guard !allowed.isEmpty else { throw NetworkPolicyRefusal.error(addresses.first, request.url) }
    return allowed
  }

  private static func addresses(of host: String, _ context: TransferContext) async throws(LupineError) -> [IPAddress] {
    if let literal = IPAddress(host) { return [literal] }
    if let named = context.identity.resolverOverrides.addresses(of: host) { return named }
    let lookup = Lookup()
    let answer: HostResolver.Answer? = await withUnsafeContinuation { continuation in
      lookup.begin(host, continuation)
      context.onCancel { lookup.end(with: nil) }
    }
    if let reason = context.control.reason { throw reason }
    switch answer {
    case .addresses(let addresses): return addresses
    case .failure(let reason):
      throw LupineError(.hostNotFound, "The host's name has no address: \(reason). Check its spelling.")
    case nil: throw LupineError(.cancelled, "The request was cancelled.")
    }
  }
}

/// One question to the system's resolver, on a thread of its own, which nobody has to wait for.
private final class Lookup: Sendable {
  typealias Answer = HostResolver.Answer
  private let waiter = Mutex<UnsafeContinuation<Answer?, Never>?>(nil)

  func begin(_ host: String, _ continuation: UnsafeContinuation<Answer?, Never>) {
    waiter.withLock { $0 = continuation }
    do throws(SystemThread.Failure) {
      try SystemThread("lupine-resolve") { [self] in end(with: HostResolver.system.resolve(host)) }.detach()
    } catch {
      end(with: .failure("a thread cannot be started: \(String(cString: strerror(error.code)))"))
    }
  }

  func end(with answer: Answer?) {
    let continuation = waiter.withLock { waiter in
      defer { waiter = nil }
      return waiter
    }
    continuation?.resume(returning: answer)
  }
}
