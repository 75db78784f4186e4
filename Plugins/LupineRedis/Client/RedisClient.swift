import DequeModule
import LupineCore
import LupineFoundation
import LupineSupport
import Synchronization

/// Sends commands over a bounded number of connections, on threads of `BlockingWork`.
///
/// Each command has a deadline, which ends the wait of its caller whatever its thread waits for. A server that has
/// failed is tried again with one command after a delay; others fail at once meanwhile.
final class RedisClient: Sendable {
  struct Options: Sendable {
    var connectTimeout: Duration
    var commandTimeout: Duration
    var connectionLimit: Int
    var reconnectDelays: ClosedRange<Duration>
    /// The limits of one reply.
    var reply: RESPReader.Limits
  }

  private struct State {
    var circuit: ProbeCircuit
    var queue: Deque<RedisOperation> = []
    /// The number of threads that take operations from the queue.
    var threads = 0
    var idle: [RedisConnection] = []
    var lastFailure: LupineError?

    mutating func next() -> RedisOperation? {
      let operation = queue.popFirst()
      if operation == nil { threads -= 1 }
      return operation
    }
  }

  let server: RedisServer
  private let options: Options
  private let clock: SessionClock
  private let state: Mutex<State>

  init(_ server: RedisServer, options: Options, clock: SessionClock) {
    self.server = server
    self.options = options
    self.clock = clock
    state = Mutex(State(circuit: ProbeCircuit(delays: options.reconnectDelays)))
  }

  /// Sends a command and returns the reply, which is no error.
  ///
  /// - Throws: `LupineError` of kind `redisUnavailable`, `redisRefused` or `cancelled`. The server may have executed a
  ///   command that timed out or was cancelled.
  func send(_ command: RedisCommand) async throws(LupineError) -> RESPValue {
    let operation = RedisOperation(command, isProbe: try admit())
    let timer = clock.schedule(options.commandTimeout) { [self] in expire(operation, in: nil) }
    defer { timer.cancel() }
    enqueue(operation)
    guard let result = await operation.result() else {
      operation.interrupt { _ in if operation.isProbe { state.withLock { $0.circuit.abandonProbe() } } }
      throw LupineError(.cancelled, "The task that waited for the Redis server was cancelled.")
    }
    let reply = try result.get()
    guard case .error(let text) = reply else { return reply }
    throw .redisRefused(command.name, text, by: server)
  }

  /// Returns whether the command is the probe.
  private func admit() throws(LupineError) -> Bool {
    switch state.withLock({ $0.circuit.admit(at: clock.now()) }) {
    case .normal: return false
    case .probe: return true
    case .refused: throw refusal
    }
  }

  /// Ends an operation that waited in the queue while the server failed; this is no other failure of the server.
  private func refuse(_ operation: RedisOperation) {
    if operation.claim() { operation.resume(.failure(refusal)) }
  }

  private var refusal: LupineError {
    LupineError(
      .redisUnavailable, "The Redis server at \(server) has failed, and is tried again after a delay.",
      underlying: state.withLock { $0.lastFailure })
  }

  private func enqueue(_ operation: RedisOperation) {
    let needsThread = state.withLock { state in
      state.queue.append(operation)
      guard state.threads < options.connectionLimit else { return false }
      state.threads += 1
      return true
    }
    if needsThread { BlockingWork.start { [self] in performAll() } }
  }

  /// Performs the operations of the queue until it is empty; blocks its thread.
  private func performAll() {
    while let operation = state.withLock({ $0.next() }) {
      do throws(LupineError) {
        try perform(operation)
      } catch {
        guard operation.claim() else { continue }
        recordFailure(error, of: operation)
        operation.resume(.failure(error))
      }
    }
  }

  private func perform(_ operation: RedisOperation) throws(LupineError) {
    if !operation.isProbe, state.withLock({ $0.circuit.isOpen }) { return refuse(operation) }
    guard operation.enter(.connecting) else { return }
    let connection = if let idle = idleConnection() { idle } else { try connect(for: operation) }
    guard operation.attach(connection.socket), operation.enter(.exchanging) else { return }
    let reply = try connection.exchange(operation.command)
    guard operation.claim() else { return }
    state.withLock { state in
      state.idle.append(connection)
      state.circuit.succeed()
    }
    operation.resume(.success(reply))
  }

  private func connect(for operation: RedisOperation) throws(LupineError) -> RedisConnection {
    let timer = clock.schedule(options.connectTimeout) { [self] in expire(operation, in: .connecting) }
    defer { timer.cancel() }
    return try RedisConnection(to: server, limits: options.reply, attach: operation.attach)
  }

  /// Returns a connection that can be used again; those that the server has closed are dropped.
  private func idleConnection() -> RedisConnection? {
    while let connection = state.withLock({ $0.idle.popLast() }) {
      if connection.isReusable { return connection }
    }
    return nil
  }

  /// Ends an operation whose time is over.
  ///
  /// - Parameter phase: ends it in this phase alone; `nil` means any.
  private func expire(_ operation: RedisOperation, in phase: RedisOperation.Phase?) {
    var error = LupineError.redisUnavailable("No connection to the Redis server at \(server) was free in time.")
    let isExpired = operation.interrupt(in: phase) { phase in
      switch phase {
      case .connecting:
        error = .redisUnavailable("The Redis server at \(server) did not accept a connection in time.")
      case .exchanging:
        error = .redisUnavailable(
          "The Redis server at \(server) did not answer the command \(operation.command.name) in time.")
      default:
        // Other commands had the connections, so this says nothing about the server.
        if operation.isProbe { state.withLock { $0.circuit.abandonProbe() } }
        return
      }
      recordFailure(error, of: operation)
    }
    if isExpired { operation.resume(.failure(error)) }
  }

  /// Opens the circuit and drops the idle connections, which the same failure may have broken.
  private func recordFailure(_ error: LupineError, of operation: RedisOperation) {
    let dropped = state.withLock { state in
      if operation.isProbe || !state.circuit.isOpen { state.lastFailure = error }
      state.circuit.fail(at: clock.now(), isProbe: operation.isProbe)
      defer { state.idle = [] }
      return state.idle
    }
    // Closed outside the lock.
    withExtendedLifetime(dropped) {}
  }
}
