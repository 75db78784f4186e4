#if Configuration
  public import Configuration
  public import LupineCore
  public import LupineSession

  extension Session.Builder {
    /// Makes a builder with the settings of a configuration, such as the environment's, a JSON file's, or both.
    ///
    /// The guide "A session from configuration" has the table of all keys. A key without a value keeps the session's default, and later
    /// calls of the builder's methods replace the settings. The values are fetched once; a later change has no effect on
    /// the session.
    ///
    /// `build()` throws one error with every value that cannot be used, every name that is unknown, and every listed key
    /// that has no meaning.
    ///
    /// - Parameters:
    ///   - configuration: the reader, in the scope of the session.
    ///   - transports: the transports that the key `transport` may name, such as `["curl": .curl, "mock": mock]`.
    ///     Default: none.
    ///   - caches: the caches that the key `cache` may name. Default: none.
    ///   - logs: the monitors that the key `log` may name. Default: none.
    ///   - pinning: makes the evaluator of a host from its pins, such as `{ .publicKeys(PublicKeys($0)) }`. Called in this
    ///     initializer. Default: `nil`, which makes a value of the key `pins` an issue.
    ///   - listing: the keys that the providers hold. Default: none, so that no key is unknown.
    public init(
      configuration: ConfigReader, transports: [String: any Transport] = [:], caches: [String: any Plugin] = [:],
      logs: [String: any EventMonitor] = [:], pinning: (@Sendable ([String]) -> any TrustEvaluator)? = nil,
      listing: [ListedKeys] = []
    ) async {
      var settings = SessionSettings(reader: SettingReader(configuration))
      if let transport = await settings.reader.part(.transport, in: transports) {
        settings.builder = settings.builder.transport(transport)
      }
      await settings.applyAddress()
      await settings.applyTimeouts()
      await settings.applyConnections()
      await settings.applyProxy()
      await settings.applyTLS(pinning)
      await settings.applyRetries()
      if let cache = await settings.reader.part(.cache, in: caches) {
        settings.builder = settings.builder.install(cache)
      }
      for log in await settings.reader.parts(.log, in: logs) { settings.builder = settings.builder.monitor(log) }
      await settings.applyLimits()
      let issues = settings.reader.issues + listing.flatMap(\.issues)
      self = issues.reduce(settings.builder) { $0.issue($1) }
    }
  }
#endif
