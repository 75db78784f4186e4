public import HTTPTypes
public import LupineCore
public import LupineFoundation

/// A cache of HTTP responses (RFC 9111), which one or several sessions use.
///
/// ```swift
/// let cache = HTTPCache(memory: .megabytes(32))
/// let session = try Session.Builder()
///   .standardDefaults()
///   .baseURL("https://api.example.com")
///   .install(.cache(cache))
///   .build()
/// let users = await session.request("users").validate().serializingDecodable([User].self).response
/// print(users.cacheStatus?.description ?? "no cache")  // first fwd=uri-miss; stored, later hit; ttl=42
/// ```
///
/// The cache sees each exchange: each redirect, with the cookies and credentials that are sent, and the content as it
/// arrives, before content codings are removed. A stored response costs neither a connection nor a turn of a limiter.
///
/// The cache is private by default: it stores responses to requests with credentials. Users are kept apart. A response
/// answers a request with the same credential, cookies and other secret fields as the one that brought it. Another
/// user's request gets it only after the server has validated it with a strong entity tag, or if it is `public`. The
/// cache stores no credential, only its keyed hash. `Set-Cookie` is never stored.
///
/// A request with a body, and a method other than GET and HEAD, is not answered. Parts of a response, as of a 206 or of a
/// response that broke off, answer requests for a range, and are joined and completed under a strong validator.
public final class HTTPCache: Sendable {
  /// The behaviour of a cache.
  public struct Configuration: Sendable {
    /// Whether the cache serves several users as a proxy does (RFC 9111 section 1).
    ///
    /// A shared cache follows `s-maxage`, `proxy-revalidate`, `private` and `CDN-Cache-Control` (RFC 9213), and stores
    /// fewer responses to requests with `Authorization`.
    ///
    /// Default: `false`.
    public var isShared = false
    /// The most stale responses that are refreshed at the same time in the background (RFC 5861 section 3).
    ///
    /// A further one is used without a refresh.
    ///
    /// Default: 16.
    public var backgroundRefreshes = 16
    /// The longest time that a request waits for the response to another request of the same user for the same URL.
    ///
    /// While a request is running, requests for the same response wait until it is stored. A waiting request is sent
    /// after this time, or as soon as the cache knows that the response is not stored or does not answer it. After
    /// that, requests for this response do not wait until one is stored again. With zero, no request waits.
    ///
    /// Default: 5 seconds.
    public var collapsedWait = Duration.seconds(5)
    /// The time for which no other machine fetches a response that this cache fetches, if the store gives leases
    /// (`ResponseStore.leases`).
    ///
    /// The lease ends earlier if the response is stored, or is known not to be. The others look for the response
    /// meanwhile, and send their own requests after half of `collapsedWait`.
    ///
    /// Default: 10 seconds.
    public var leaseLifetime = Duration.seconds(10)
    /// Returns 64 random bits, for the hash key of a cache in memory and for what tells processes apart; called by the
    /// initializer, four times for each.
    ///
    /// Default: the system's generator.
    public var random: @Sendable () -> UInt64 = {
      var generator = SystemRandomNumberGenerator()
      return generator.next()
    }

    /// Creates the default configuration.
    public init() {}

    /// Creates the default configuration with changes.
    public init(_ change: (inout Configuration) -> Void) { change(&self) }
  }

  let storage: CacheStorage

  /// Makes an empty cache in memory.
  ///
  /// - Parameter size: the most bytes that stored responses take, with those that are being stored. One takes at most an
  ///   eighth.
  public convenience init(memory size: CacheSize, _ configuration: Configuration = Configuration()) {
    self.init(MemoryResponseStore(size: size), KeyedHash.makeKey(configuration.random), configuration)
  }

  /// Makes a cache that keeps responses in a store, for later processes and for other caches with the same key.
  ///
  /// ```swift
  /// let cache = try HTTPCache(memory: .megabytes(32), store: .sqlite(at: "/var/cache/news", .megabytes(500)))
  /// ```
  ///
  /// With `memory`, copies of heads and of contents that the store returns as bytes are kept in memory. A copy answers at
  /// most 64 requests and is then read again. Until then a change by another process or another cache is not noticed, so
  /// a response that was removed there can still be used while it is fresh.
  ///
  /// If the store does not answer within a second, for example because another process holds its lock or its disk
  /// hangs, the cache does not use it for 1 to 30 seconds and sends the requests to the server. Before the cache uses
  /// the store again for a URL, it removes the responses of the URL that it could not remove before.
  ///
  /// A cache with another key finds only responses for everyone and for requests without credentials, and of those the
  /// ones without `Vary`.
  ///
  /// Sessions share responses if their connections have the same settings. Connections with a trust policy, a client
  /// certificate, a Unix-domain socket, a local address, resolver overrides, Kerberos tickets or a network policy other
  /// than `publicInternetOnly` share none with other caches: another process cannot tell that these are the same.
  ///
  /// - Parameters:
  ///   - size: the most bytes that the copies take. One URL takes at most an eighth. Default: none, so that each hit is
  ///     read from the store.
  ///   - store: keeps the responses.
  ///   - hashKey: at least 32 random bytes for the hashes of credentials and of fields that `Vary` names. Keep them
  ///     secret: who has them and the store can test guesses of a credential. Default: the key that the store keeps
  ///     (`ResponseStore.hashKey()`), as `SQLiteStore` does in its folder. Without either, the cache stores no response
  ///     to a request with credentials, unless it is for everyone and has no `Vary`, and none that came over a connection
  ///     with settings of its own.
  ///   - configuration: the behaviour of the cache.
  /// - Throws: kind `configuration` if the key has fewer than 32 bytes; the error of the store if it cannot read its key.
  public convenience init(
    memory size: CacheSize = .bytes(0), store: any ResponseStore, hashKey: [UInt8]? = nil,
    _ configuration: Configuration = Configuration()
  ) throws(LupineError) {
    let key = if let hashKey { hashKey } else { try store.hashKey() }
    if let key, key.count < 32 {
      throw .unusable(
        "hashKey", "The hash key of a cache must have at least 32 random bytes, and this one has \(key.count).")
    }
    // A store in memory always answers at once.
    let calls = store is any ImmediateStore ? nil : StoreCalls()
    let bounded: any ResponseStore = calls.map { BoundedStore(store, $0) } ?? store
    self.init(size > .bytes(0) ? MemoryTier(over: bounded, size: size) : bounded, key, configuration, calls)
  }

  private init(
    _ store: any ResponseStore, _ hashKey: [UInt8]?, _ configuration: Configuration, _ calls: StoreCalls? = nil
  ) {
    storage = CacheStorage(
      store: store, calls: calls, hashKey: hashKey, isShared: configuration.isShared,
      refreshLimit: configuration.backgroundRefreshes, waitLimit: configuration.collapsedWait,
      leaseLifetime: configuration.leaseLifetime, random: configuration.random)
  }
}

extension HTTPCache {
  /// A stored response, without its content.
  public struct Entry: Sendable, HidesSecrets {
    /// The URL of the request.
    public let url: HTTPURL
    /// The head as it is stored, without `Set-Cookie`.
    public let head: HTTPResponse
    /// The length of the stored content in bytes, as it arrived.
    public let length: Int64
    /// The positions of the stored bytes in the whole content; `nil` if all of it is stored.
    public let part: Range<Int64>?
    /// When the head arrived, or the server validated the response last.
    public let stored: Date

    init?(_ response: StoredResponse) {
      guard let metadata = EntryMetadata(response.record.metadata), let url = try? HTTPURL(metadata.url) else {
        return nil
      }
      self.url = url
      head = response.record.head
      length = response.length
      part = metadata.part?.range
      stored = metadata.responseTime
    }

    /// The status and the length.
    public var description: String { "status \(head.status.code), \(length) bytes" }
  }

  /// The stored responses, in any order.
  ///
  /// - Throws: the error of the store.
  public var entries: [Entry] {
    get async throws(LupineError) {
      let found = EntryList()
      try await storage.store.removeAll { response in
        if let entry = Entry(response) { found.append(entry) }
        return false
      }
      return found.all
    }
  }

  /// The number of bytes that the stored responses take, with their heads.
  ///
  /// - Throws: the error of the store.
  public var size: Int64 { get async throws(LupineError) { try await storage.store.size() } }

  /// Removes the stored responses of a URL, and those with `No-Vary-Search` of the URL with any query.
  ///
  /// Responses of this URL that are under way or being stored are not kept either. Responses to requests with a `Host`
  /// of their own stay; `removeAll(where:)` removes them.
  ///
  /// - Throws: kind `invalidURL`, or the error of the store.
  public func remove(_ url: some URLConvertible) async throws {
    guard let key = CacheKey(try url.asURL(relativeTo: nil)) else { return }
    try await storage.invalidate(key)
  }

  /// Removes the stored responses that match.
  ///
  /// No response is kept that is under way or being stored, because its content is not known yet.
  ///
  /// - Parameter matches: called with each stored response, on any thread, one call after another. Default: all match.
  /// - Throws: the error of the store.
  public func removeAll(
    where matches: @escaping @Sendable (Entry) -> Bool = { _ in true }
  ) async throws(LupineError) {
    storage.preventStoringAll()
    try await storage.store.removeAll { response in Entry(response).map(matches) ?? true }
  }
}
