/// Gives each key to one holder at a time, among all machines that share a store.
///
/// A cache takes the lease of a response before it sends the request, and gives it back when the response is stored or is
/// known not to be. A lease saves requests but protects nothing: it ends when its lifetime is over, even if its holder is
/// still at work. If a method throws, the cache goes on without a lease.
///
/// The methods are called concurrently, from any task, and block no thread of Swift's pool.
public protocol ResponseLeases: Sendable {
  /// Takes the lease of a key.
  ///
  /// - Parameters:
  ///   - key: text of any length without a secret. A service that limits names uses a hash of it.
  ///   - lifetime: the time after which the lease ends by itself.
  /// - Returns: `nil` if another holder has it.
  func acquireLease(for key: String, lifetime: Duration) async throws(LupineError) -> ResponseLease?

  /// Gives a lease back before its lifetime is over.
  ///
  /// - Returns: false if the lease had ended; that of a later holder stays.
  @discardableResult
  func release(_ lease: ResponseLease) async throws(LupineError) -> Bool
}

/// The right to fetch the response of one key, which one holder has for a time.
public struct ResponseLease: Sendable, Hashable {
  /// The key.
  public let key: String
  /// Text that no other lease has, by which the service recognises the holder.
  public let token: String

  /// Describes a lease, for a service that gives it.
  public init(key: String, token: String) {
    self.key = key
    self.token = token
  }
}
