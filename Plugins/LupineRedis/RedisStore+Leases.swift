public import LupineCore
import LupineFoundation

extension RedisStore: ResponseLeases {
  /// The store itself, which every cache of the server shares.
  public var leases: (any ResponseLeases)? { self }

  /// Takes the lease of a key, so that one machine fetches it and the others wait or use what they have.
  ///
  /// A cache does this by itself. A lease also ends with the server's memory.
  ///
  /// ```swift
  /// if let lease = try await store.acquireLease(for: key, lifetime: .seconds(10)) {
  ///   try await fetch()
  ///   try await store.release(lease)
  /// }
  /// ```
  ///
  /// - Parameter lifetime: the time after which the lease ends by itself, at least 1 millisecond.
  /// - Returns: `nil` if another holder has it.
  /// - Throws: `LupineError` if the server fails. A lease that was taken nevertheless ends with its lifetime.
  public func acquireLease(for key: String, lifetime: Duration) async throws(LupineError) -> ResponseLease? {
    let lease = ResponseLease(key: key, token: EntryCodec.newID())
    let arguments = [lease.token, String(lifetime.wholeMilliseconds)].map { Data($0.utf8) }
    return try await number(RedisScript.acquire.command(on: try codec.leaseName(key), arguments)) == 1 ? lease : nil
  }

  /// Gives a lease back before its lifetime is over.
  ///
  /// - Returns: false if the lease had ended; that of a later holder stays.
  @discardableResult
  public func release(_ lease: ResponseLease) async throws(LupineError) -> Bool {
    let script = RedisScript.compareAndDelete.command(on: try codec.leaseName(lease.key), [Data(lease.token.utf8)])
    return try await number(script) == 1
  }
}
