import Glibc
import LupineCore
import Synchronization

/// A transport for HTTP/1.1 in clear text over the system's sockets.
///
/// Each exchange has a thread, because it blocks and must not block the threads of Swift's concurrency. A connection
/// serves one exchange at a time and is kept for the next one with the same origin and connection key.
final class SocketTransport: Transport {
  /// The properties that two exchanges must share to use the same connection.
  struct Route: Hashable {
    let origin: HTTPURL.Origin
    let connectionKey: ConnectionKey
  }

  typealias Answer = Result<TransportResponse, LupineError>

  private struct IdleConnection {
    let route: Route
    let socket: Socket
    let since = ContinuousClock.now
  }

  private struct State {
    var isShutDown = false
    /// The exchanges that are under way.
    var running: [ObjectIdentifier: Wakeup] = [:]
    var idle: [IdleConnection] = []
    /// The callers of `shutdown` that wait for the last exchange.
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private static let maximumIdleCount = 32
  private static let idleLifetime = Duration.seconds(60)

  private static let cancelled = LupineError(.cancelled, "The request was cancelled.")
  private static let hasShutDown = LupineError(.sessionShutDown, "The transport was shut down.")

  private let state = Mutex(State())

  let capabilities: TransportCapabilities = [
    .networking, .connectionReuse, .streamedUploads, .informationalResponses, .trailers, .framingChecks, .strictFraming,
    .hostResolvers,
  ]

  func send(_ request: OutgoingRequest, in context: TransferContext) async throws(LupineError) -> TransportResponse {
    do throws(LupineError) {
      try Self.check(request, context)
      let wakeup = try Wakeup()
      let reader = try await Self.openBody(of: request, in: context, wakeup)
      let exchange = SocketExchange(request, reader, context, wakeup, self)
      try register(wakeup, context)
      let answer = await withCheckedContinuation { (continuation: CheckedContinuation<Answer, Never>) in
        start(exchange, wakeup, continuation)
      }
      return try answer.get()
    } catch {
      // Errors of a started exchange already have metrics.
      throw error.metrics == nil ? error.measured(TransferMetrics()) : error
    }
  }

  private static func openBody(
    of request: OutgoingRequest, in context: TransferContext, _ wakeup: Wakeup
  ) async throws(LupineError) -> (any BodyReader)? {
    guard request.hasBody else { return nil }
    return try await context.makeReader(for: request.body) { wakeup.update { _ in } }
  }

  /// Throws if the request is invalid, or if this transport cannot send it.
  private static func check(_ request: OutgoingRequest, _ context: TransferContext) throws(LupineError) {
    if let reason = context.control.reason { throw reason }
    try RequestRules.check(request, limits: context.limits)
    guard request.version == nil || request.version == .http1_1 else {
      throw LupineError(.invalidRequest, "This transport speaks HTTP/1.1 only; leave the version open.")
    }
    // The transport does not declare TLS; a session makes the same check.
    try RequestRules.refuseHTTPS(request)
  }

  private func register(_ wakeup: Wakeup, _ context: TransferContext) throws(LupineError) {
    let isShutDown = state.withLock { state in
      if !state.isShutDown { state.running[ObjectIdentifier(wakeup)] = wakeup }
      return state.isShutDown
    }
    if isShutDown { throw Self.hasShutDown }
    // The control retains the handler, so that the handler must not retain the control.
    context.onCancel { [weak control = context.control] in wakeup.end(control?.reason ?? Self.cancelled) }
  }

  private func start(
    _ exchange: SocketExchange, _ wakeup: Wakeup, _ continuation: CheckedContinuation<Answer, Never>
  ) {
    do throws(LupineError) {
      try startThread { [self] in
        var exchange = exchange
        exchange.run { continuation.resume(returning: $0) }
        leave(wakeup)
      }
    } catch {
      leave(wakeup)
      continuation.resume(returning: .failure(error))
    }
  }

  private func leave(_ wakeup: Wakeup) {
    let waiters = state.withLock { state in
      state.running[ObjectIdentifier(wakeup)] = nil
      guard state.running.isEmpty else { return [CheckedContinuation<Void, Never>]() }
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Ends every exchange, closes the connections, and waits for the threads of the exchanges.
  ///
  /// It does not wait for the threads that look up names, because the system's resolver cannot be cancelled.
  func shutdown() async {
    state.withLock { state in
      state.isShutDown = true
      state.idle = []
      for wakeup in state.running.values { wakeup.end(Self.hasShutDown) }
    }
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        if !state.running.isEmpty { state.waiters.append(continuation) }
        return state.running.isEmpty
      }
      if isOver { continuation.resume() }
    }
  }
}

extension SocketTransport {
  /// Returns an idle connection that can carry an exchange; `nil` if there is none.
  func takeConnection(_ route: Route) -> Socket? {
    state.withLock { state in
      state.idle.removeAll { $0.since.duration(to: .now) > Self.idleLifetime }
      while let index = state.idle.lastIndex(where: { $0.route == route }) {
        let socket = state.idle.remove(at: index).socket
        if socket.isQuiet { return socket }
      }
      return nil
    }
  }

  /// Keeps a connection for the next exchange.
  func keep(_ socket: Socket, _ route: Route) {
    state.withLock { state in
      guard !state.isShutDown else { return }
      state.idle.append(IdleConnection(route: route, socket: socket))
      if state.idle.count > Self.maximumIdleCount { state.idle.removeFirst() }
    }
  }
}
