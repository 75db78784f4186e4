import FoundationEssentials

/// What a session tells the transport of every exchange alike; behind one pointer, since each exchange is told.
final class ExchangeSettings: Sendable {
  let clock: any Clock<Duration>
  let now: @Sendable () -> Date
  let limits: Limits
  let connections: ConnectionOptions
  let executor: (any TaskExecutor)?
  let secretFields: SecretFields

  init(
    clock: any Clock<Duration>, now: @escaping @Sendable () -> Date, limits: Limits, connections: ConnectionOptions,
    executor: (any TaskExecutor)?, secretFields: SecretFields = .standard
  ) {
    self.clock = clock
    self.now = now
    self.limits = limits
    self.connections = connections
    self.executor = executor
    self.secretFields = secretFields
  }

  convenience init(_ configuration: SessionConfiguration) {
    self.init(
      clock: configuration.clock, now: configuration.now, limits: configuration.limits,
      connections: configuration.connections, executor: configuration.executor,
      secretFields: configuration.secretFields)
  }
}
