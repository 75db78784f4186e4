import CLibcurl
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
    let found: [IPAddress]? = await withUnsafeContinuation { continuation in
      lookup.begin(host, continuation)
      context.onCancel { lookup.end(with: nil) }
    }
    if let reason = context.control.reason { throw reason }
    guard let found, !found.isEmpty else {
      throw LupineError(.hostNotFound, "The host's name has no address; check its spelling.")
    }
    return found
  }
}

/// One question to the system's resolver, on a thread of its own, which nobody has to wait for.
private final class Lookup: Sendable {
  private let waiter = Mutex<UnsafeContinuation<[IPAddress]?, Never>?>(nil)

  func begin(_ host: String, _ continuation: UnsafeContinuation<[IPAddress]?, Never>) {
    waiter.withLock { $0 = continuation }
    do throws(LupineError) {
      let thread = try LoopThread.start { [self] in end(with: Self.resolve(host)) }
      pthread_detach(thread)
    } catch {
      end(with: nil)
    }
  }

  func end(with addresses: [IPAddress]?) {
    let continuation = waiter.withLock { waiter in
      defer { waiter = nil }
      return waiter
    }
    continuation?.resume(returning: addresses)
  }

  private static func resolve(_ host: String) -> [IPAddress] {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
    defer { freeaddrinfo(list) }
    return sequence(first: list, next: { $0?.pointee.ai_next }).compactMap {
      $0.flatMap { address($0.pointee.ai_addr) }
    }
  }

  private static func address(_ address: UnsafeMutablePointer<sockaddr>?) -> IPAddress? {
    guard let address else { return nil }
    let raw = UnsafeRawPointer(address)
    switch Int32(address.pointee.sa_family) {
    case AF_INET: return IPAddress(bytes: Array(UnsafeRawBufferPointer(start: raw + 4, count: 4)))
    case AF_INET6: return IPAddress(bytes: Array(UnsafeRawBufferPointer(start: raw + 8, count: 16)))
    default: return nil
    }
  }
}
