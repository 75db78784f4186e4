public import LupineCore
import LupineSupport

extension RedisStore {
  /// The limits and times of a store.
  public struct Configuration: Sendable, Hashable {
    /// The beginning of the names of all the store's keys on the server: 1 to 64 letters, digits, `.`, `-` and `_`.
    ///
    /// Stores with different prefixes share nothing. Default: `lupine`.
    public var prefix = "lupine"
    /// The maximum number of bytes of a response's content, at most 64 MiB; `makeWriter` returns `nil` for a longer one.
    ///
    /// Default: 1 MiB.
    public var contentLimit = 1 << 20
    /// The maximum number of bytes of a response's record and trailers, as JSON.
    ///
    /// Default: 128 KiB.
    public var recordLimit = 128 << 10
    /// The maximum number of variants of one key; another one then takes the place of any of them.
    ///
    /// Default: 32.
    public var variantLimit = 32
    /// The time for which a response is kept if its record has no retention or a longer one.
    ///
    /// Default: one day.
    public var maximumRetention: Duration = .seconds(86_400)
    /// The maximum time to connect and to authenticate.
    ///
    /// Default: 500 milliseconds.
    public var connectTimeout: Duration = .milliseconds(500)
    /// The maximum time of one command, with the wait for a connection.
    ///
    /// Default: one second.
    public var commandTimeout: Duration = .seconds(1)
    /// The maximum number of connections.
    ///
    /// A thread waits for each command; a connection without one has no thread. Default: 4.
    public var connectionLimit = 4
    /// How long the store waits before it tries a server again that has failed.
    ///
    /// The delay doubles with each failure in succession, from the lower to the upper bound. Meanwhile every method
    /// throws at once. Default: 1 to 30 seconds.
    public var reconnectDelays: ClosedRange<Duration> = .seconds(1)...(.seconds(30))

    /// Creates the default configuration.
    public init() {}
  }
}

extension RedisStore.Configuration {
  /// - Throws: `LupineError` of kind `configuration` with the first value that cannot be used.
  func validate() throws(LupineError) {
    let isName = prefix.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"): true
      default: false
      }
    }
    let requirements = [
      (
        "prefix must have 1 to 64 letters, digits, dots, hyphens or underscores",
        isName && (1...64).contains(prefix.utf8.count)
      ),
      ("contentLimit must be from 0 to 64 MiB", (0...(64 << 20)).contains(contentLimit)),
      ("recordLimit must be from 1 KiB to 1 MiB", (1_024...(1 << 20)).contains(recordLimit)),
      ("variantLimit must be from 1 to 1000", (1...1_000).contains(variantLimit)),
      ("connectionLimit must be from 1 to 32", (1...32).contains(connectionLimit)),
      (
        "the times must be positive",
        [
          maximumRetention, connectTimeout, commandTimeout, reconnectDelays.lowerBound,
        ].allSatisfy { $0 > .zero }
      ),
      ("maximumRetention must be at most 10 years", maximumRetention <= .seconds(10 * 366 * 86_400)),
    ]
    for (requirement, isMet) in requirements where !isMet {
      throw .unusable("redis", "The Redis store cannot be used: \(requirement).")
    }
  }

  var clientOptions: RedisClient.Options {
    // The longest replies are the records of all variants, and one content; the rest is for lengths and names.
    let records = variantLimit * (recordLimit + 256)
    return RedisClient.Options(
      connectTimeout: connectTimeout, commandTimeout: commandTimeout, connectionLimit: connectionLimit,
      reconnectDelays: reconnectDelays, reply: RESPReader.Limits(bytes: max(records, contentLimit) + (1 << 17)))
  }
}

extension Duration {
  /// The milliseconds, rounded down, and at least 1.
  var wholeMilliseconds: Int64 { max(1, nanoseconds / 1_000_000) }
}

extension ResponseStore where Self == RedisStore {
  /// The store on a Redis or Valkey server; see ``RedisStore``.
  public static func redis(
    _ server: RedisServer, authenticationKey: [UInt8],
    configuration: RedisStore.Configuration = RedisStore.Configuration()
  ) throws(LupineError) -> RedisStore {
    try RedisStore(server, authenticationKey: authenticationKey, configuration: configuration)
  }
}
