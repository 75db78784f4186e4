package import LupineFoundation

/// The settings that all exchanges of a session share.
///
/// A transport can compare the reference to detect that the settings have not changed since the last exchange.
public final class ExchangeSettings: Sendable {
  let clock: any Clock<Duration>
  let now: @Sendable () -> Date
  let connectTimeout: Duration?
  /// The limits on what a transport accepts.
  public let limits: Limits
  /// The key of connections, unless a request overrides it.
  let connectionKey: ConnectionKey
  /// Whether the key names certificate authorities.
  let namesAuthorities: Bool
  /// The resolver whose number is in the key; `nil` for the system's.
  let resolver: HostResolver?
  /// The options for the use of connections.
  public let connections: ConnectionOptions
  let executor: (any TaskExecutor)?
  let secretFields: SecretFields
  let contentCodings: [any ContentCoding]
  /// The tasks of the session that belong to none of its requests.
  let backgroundTasks: BackgroundTasks

  // For the session; a test of a transport makes a context.
  package init(
    clock: SessionClock, now: @escaping @Sendable () -> Date, timeouts: Timeouts, limits: Limits,
    connectionKey: ConnectionKey, resolver: HostResolver?, connections: ConnectionOptions,
    executor: (any TaskExecutor)?, secretFields: SecretFields = .standard, contentCodings: [any ContentCoding] = []
  ) {
    self.clock = clock.clock
    self.now = now
    connectTimeout = timeouts.connect
    self.limits = limits
    self.connectionKey = connectionKey
    namesAuthorities = connectionKey.namesAuthorities
    self.resolver = resolver
    self.connections = connections
    self.executor = executor
    self.secretFields = secretFields
    self.contentCodings = contentCodings
    backgroundTasks = BackgroundTasks(clock: clock, timeouts: timeouts, executor: executor)
  }
}

extension TransferContext {
  /// The session's own resolver, which replaces the system's; `nil` without one.
  ///
  /// Its number is in `connectionKey`, so that different resolvers share no connection. A transport with the capability
  /// `hostResolvers` asks it, within the connect timeout and beneath the network policy.
  public var resolver: HostResolver? { settings.resolver }
}
