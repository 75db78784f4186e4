import LupineCore
public import LupineSession
import Synchronization

/// Installs a cache in a session, between the session and its transport.
///
/// The cache encloses hedging, the limiters and the circuit breaker of `LupineResilience`, and is inside tracing.
public struct CachePlugin: Plugin {
  private let cache: HTTPCache
  private let cacher: ResponseCacher

  /// Makes the plugin.
  ///
  /// - Parameters:
  ///   - cache: the cache, which several sessions may share.
  ///   - cacher: what is stored of responses, for requests that do not set it. Default: what the protocol permits.
  public init(_ cache: HTTPCache, cacher: ResponseCacher = .cache) {
    self.cache = cache
    self.cacher = cacher
  }

  /// Adds the layer `cache`.
  public func install(in builder: inout Session.Builder) {
    let (storage, cacher) = (cache.storage, cacher)
    builder = builder.exchangeLayer(
      .cache, inside: [.tracing], outside: [.hedging, .concurrencyLimit, .rateLimit, .circuitBreaker]
    ) {
      CacheLayer(storage: storage, cacher: cacher)
    }
  }
}

extension Plugin where Self == CachePlugin {
  /// A cache of responses; see ``HTTPCache``.
  ///
  /// - Parameter cacher: what is stored of responses, for requests that do not set it. Default: what the protocol
  ///   permits.
  public static func cache(_ cache: HTTPCache, cacher: ResponseCacher = .cache) -> CachePlugin {
    CachePlugin(cache, cacher: cacher)
  }
}

/// Collects entries from a closure.
final class EntryList: Sendable {
  private let state = Mutex<[HTTPCache.Entry]>([])

  var all: [HTTPCache.Entry] { state.withLock { $0 } }

  func append(_ entry: HTTPCache.Entry) { state.withLock { $0.append(entry) } }
}
