import LupineSupport
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// Resolves the names of hosts to addresses.
///
/// `Session.Builder.resolver(_:)` gives a session its own, such as one for DNS over HTTPS or for Consul. Copies of a resolver
/// are the same resolver; two that are made by two calls are different, and share neither answers nor connections.
public struct HostResolver: Sendable {
  /// The addresses, or the reason why there are none.
  public enum Answer: Sendable, Equatable {
    /// The addresses of the host, in the order in which they are tried.
    case addresses([IPAddress])
    /// The resolver's message: there is no address.
    case failure(String)
  }

  /// The function that finds the addresses of a host.
  public enum Function: Sendable {
    /// Blocks the calling thread until the answer is available.
    case blocking(@Sendable (_ host: String) -> Answer)
    /// Suspends its task until the answer is available.
    case asynchronous(@Sendable (_ host: String) async throws -> [IPAddress])
  }

  /// The maximum number of addresses of a host; further ones are ignored.
  public static let maximumAddressCount = 100

  /// The number of the resolver, which no other one of the process has.
  public let id: UInt64
  /// The function that finds the addresses of a host.
  public let function: Function

  private static let lastID = Atomic<UInt64>(0)

  private init(_ function: Function) {
    id = Self.lastID.wrappingAdd(1, ordering: .relaxed).newValue
    self.function = function
  }

  /// Makes a resolver of an asynchronous function.
  ///
  /// - Parameter addresses: returns the addresses of a host in the order in which they are tried, or throws. The host has
  ///   the form of `HTTPURL.host`: ASCII in lower case, perhaps with a dot at its end. The function is called concurrently,
  ///   each time in a task of its own, which is cancelled as soon as no request waits for the answer.
  public init(_ addresses: @escaping @Sendable (_ host: String) async throws -> [IPAddress]) {
    self.init(.asynchronous(addresses))
  }

  /// Makes a resolver of a function that blocks, such as one of a C library.
  ///
  /// - Parameter answer: returns the addresses of a host, as for `init(_:)`. It is called concurrently, on threads that may
  ///   block. Its thread counts until it returns, also if no request waits for the answer any more.
  public static func blocking(_ answer: @escaping @Sendable (_ host: String) -> Answer) -> HostResolver {
    HostResolver(.blocking(answer))
  }

  /// The system's resolver (`getaddrinfo`), which sessions without another one have.
  public static let system = HostResolver(.blocking(systemAnswer))

  /// Returns the addresses of a host, each once; returns without them as soon as the task is cancelled.
  ///
  /// A transport calls it for a name. It does not call it for an address, for a name that the session's `resolverOverrides`
  /// have, and for names of this machine (`IPAddress.ofThisMachine(_:)`).
  ///
  /// - Parameter executor: the preferred executor of the task that calls the function. A function that blocks runs on a
  ///   thread of its own.
  /// - Throws: `LupineError` of kind `hostNotFound` if there are none, or of kind `cancelled`.
  public func addresses(
    of host: String, on executor: (any TaskExecutor)? = nil
  ) async throws(LupineError) -> [IPAddress] {
    let answer = Waiter<Result<[IPAddress], LupineError>>()
    let question = Task(executorPreference: executor) { _ = answer.resume(returning: await outcome(for: host)) }
    let result = await answer.value()
    // A function that has not returned yet goes on alone.
    question.cancel()
    guard let result else { throw LupineError(.cancelled, "The request was cancelled.") }
    return try result.get()
  }

  /// Returns the addresses of a host, or the error; waits for the function also if the task is cancelled.
  public func outcome(for host: String) async -> Result<[IPAddress], LupineError> {
    switch function {
    case .blocking(let resolve): return await Self.answer(of: resolve, for: host).outcome
    case .asynchronous(let resolve):
      do { return Answer.addresses(try await resolve(host)).outcome } catch {
        let text = (error as? LupineError)?.message ?? "\(error)"
        return .failure(
          LupineError(.hostNotFound, "The resolver has no address for the host's name: \(text)", underlying: error))
      }
    }
  }

  /// Calls a function that blocks on a thread of its own.
  private static func answer(
    of resolve: @escaping @Sendable (_ host: String) -> Answer, for host: String
  ) async -> Answer {
    if BlockingWork.runsInline { return resolve(host) }
    return await withUnsafeContinuation { continuation in
      do throws(SystemThread.Failure) {
        try SystemThread("lupine-resolve", stackSize: threadStackSize) {
          continuation.resume(returning: resolve(host))
        }.detach()
      } catch {
        continuation.resume(returning: .failure("a thread cannot be started: \(String(cString: strerror(error.code)))"))
      }
    }
  }

  /// The stack of a thread that resolves names, in bytes; a lookup in files and DNS needs less than 64 KiB.
  public static let threadStackSize = 512 << 10

  /// Asks the system's resolver (`getaddrinfo`), and blocks the calling thread until the answer is available.
  ///
  /// Nothing can interrupt it, so it is called on a thread that may block for a long time.
  public static func systemAnswer(for host: String) -> Answer {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, nil, &hints, &list)
    guard code == 0, let list else {
      return .failure(code == EAI_SYSTEM ? String(cString: strerror(errno)) : String(cString: gai_strerror(code)))
    }
    defer { freeaddrinfo(list) }
    var addresses: [IPAddress] = []
    for entry in sequence(first: list, next: { $0.pointee.ai_next }) {
      if let address = address(entry.pointee), !addresses.contains(address) { addresses.append(address) }
    }
    return addresses.isEmpty ? .failure("neither IPv4 nor IPv6") : .addresses(addresses)
  }

  private static func address(_ entry: addrinfo) -> IPAddress? {
    guard let socket = UnsafeRawPointer(entry.ai_addr) else { return nil }
    switch entry.ai_family {
    case AF_INET:
      return withUnsafeBytes(of: socket.loadUnaligned(as: sockaddr_in.self).sin_addr) { IPAddress(bytes: Array($0)) }
    case AF_INET6:
      return withUnsafeBytes(of: socket.loadUnaligned(as: sockaddr_in6.self).sin6_addr) { IPAddress(bytes: Array($0)) }
    default: return nil
    }
  }
}

extension HostResolver.Answer {
  /// The addresses, each once, and at most `HostResolver.maximumAddressCount` of them; without any, an error of kind
  /// `hostNotFound`.
  public var outcome: Result<[IPAddress], LupineError> {
    switch self {
    case .addresses(let all):
      var addresses: [IPAddress] = []
      var seen: Set<IPAddress> = []
      for address in all where seen.insert(address).inserted {
        addresses.append(address)
        if addresses.count == HostResolver.maximumAddressCount { break }
      }
      return addresses.isEmpty ? Self.failure("the answer is empty").outcome : .success(addresses)
    case .failure(let reason):
      return .failure(
        LupineError(.hostNotFound, "The host's name has no address: \(reason). Check its spelling."))
    }
  }
}
