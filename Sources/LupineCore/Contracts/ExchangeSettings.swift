package import FoundationEssentials

/// What a session tells the transport of every exchange alike; behind one pointer, since each exchange is told, and by
/// which a transport knows that nothing has changed since the last one.
public final class ExchangeSettings: Sendable {
  package let clock: any Clock<Duration>
  package let now: @Sendable () -> Date
  package let connectTimeout: Duration?
  /// The limits of what a transport accepts.
  public let limits: Limits
  /// What a connection must match, where nothing of the request's own says otherwise.
  package let identity: ConnectionKey
  /// Whether that names authorities to judge servers by.
  package let namesAuthorities: Bool
  /// How connections are used.
  public let connections: ConnectionOptions
  package let executor: (any TaskExecutor)?
  package let secretFields: SecretFields

  package init(
    clock: any Clock<Duration>, now: @escaping @Sendable () -> Date, connectTimeout: Duration?, limits: Limits,
    identity: ConnectionKey,
    connections: ConnectionOptions, executor: (any TaskExecutor)?, secretFields: SecretFields = .standard
  ) {
    self.clock = clock
    self.now = now
    self.connectTimeout = connectTimeout
    self.limits = limits
    self.identity = identity
    namesAuthorities = identity.namesAuthorities
    self.connections = connections
    self.executor = executor
    self.secretFields = secretFields
  }
}
