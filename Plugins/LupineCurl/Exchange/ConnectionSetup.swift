import CLibcurl
import LupineCore
import LupineEventLoop
import LupineFraming
import LupineTLS

/// The state of an exchange that needs a new connection: lookup, tunnel, handshake and further addresses.
///
/// Allocated on demand.
final class ConnectionSetup {
  /// The handshake that verifies the server of the exchange's new connection.
  var handshake: Handshake?
  /// The reader of the proxy's response to CONNECT; nil without a tunnel.
  var tunnel: TunnelReader?
  /// The system's error if no descriptor was available for a connection.
  var socketError: SystemError?
  /// The address that the network policy refused last.
  var refusedAddress: IPAddress?
  /// The lookup of the host's name.
  private(set) var lookup = NameLookup()
  /// Whether the exchange has already restarted to use the descriptor of an idle connection.
  private var hasFreedDescriptor = false
  /// The number of the host's addresses that the proxy could not reach.
  private var unreachableTargetCount = 0

  /// Processes a line of the proxy's response to CONNECT.
  func receive(tunnelLine line: UnsafeRawBufferPointer, of exchange: Exchange) throws(LupineError) {
    if let response = try tunnel?.process(line) { exchange.context.emit(.tunnelled(response)) }
  }

  /// Processes a line of the proxy's response to CONNECT before libcurl does, and may change it; see `TunnelReader`.
  func receive(changeableTunnelLine line: UnsafeMutableRawBufferPointer, of exchange: Exchange) throws(LupineError) {
    if let response = try tunnel?.process(changing: line) { exchange.context.emit(.tunnelled(response)) }
  }

  /// Records that the system has no descriptor for the exchange's connection (EMFILE or ENFILE).
  func record(_ error: SystemError) { if error.isDescriptorShortage { socketError = error } }
}

/// Restarts of a transfer that has no connection yet.
extension ConnectionSetup {
  /// Restarts a transfer that lacks addresses or a descriptor; returns false if it ended for another reason.
  func restartIfNeeded(_ exchange: Exchange, after code: CURLcode) throws(LupineError) -> Bool {
    guard lookup.isNeeded, code != CURLE_OK else { return try restartWithFreedDescriptor(exchange) }
    try startLookup(for: exchange)
    return true
  }

  /// Makes the proxy try the host's next address after an unreachable one, as libcurl does without a proxy.
  ///
  /// Returns false if there is no other address.
  func tryNextTarget(of exchange: Exchange) throws(LupineError) -> Bool {
    let targets = exchange.submission.target.addresses
    guard unreachableTargetCount + 1 < targets.count else { return false }
    unreachableTargetCount += 1
    return try restart(exchange) { (easy) throws(LupineError) in
      try easy.set(target: targets[unreachableTargetCount], exchange.url)
    }
  }

  /// Restarts a transfer that waits in libcurl, so that libcurl looks for a connection for it.
  func restartWaiting(_ exchange: Exchange) throws(LupineError) { _ = try restart(exchange) }

  /// Restarts the transfer once, if no descriptor was available and an idle connection can be closed.
  private func restartWithFreedDescriptor(_ exchange: Exchange) throws(LupineError) -> Bool {
    guard let error = socketError, exchange.ports == nil, exchange.isUnderWay, !hasFreedDescriptor,
      exchange.loop.freeDescriptor(in: exchange.multi)
    else { return false }
    hasFreedDescriptor = true
    socketError = nil
    if try restart(exchange, replacesIdle: true) { return true }
    socketError = error
    return false
  }

  /// Restarts the transfer with the remaining connect timeout; returns false if no time remains.
  ///
  /// - Parameters:
  ///   - replacesIdle: whether the oldest idle connection is closed first, to free its descriptor.
  ///   - prepare: sets the options that differ from the first attempt.
  private func restart(
    _ exchange: Exchange, replacesIdle: Bool = false, _ prepare: (Easy) throws(LupineError) -> Void = { _ in }
  ) throws(LupineError) -> Bool {
    guard let easy = exchange.easy else { return false }
    let (clock, now) = (exchange.clock, MonotonicClock.now)
    let timeout = exchange.submission.connectTimeout.map { clock.remaining(of: $0, at: now) }
    // libcurl counts milliseconds, and reads 0 as no limit.
    if let timeout, timeout < .milliseconds(1) { return false }
    exchange.loop.closeRace(of: exchange.id)
    easy.prepareRestart(connectTimeout: timeout)
    try prepare(easy)
    exchange.clock.restart(at: now)
    if replacesIdle { try exchange.multi.restartReplacingIdle(easy) } else { try exchange.multi.restart(easy) }
    return true
  }
}

/// The lookup of the name; see `NameLookup`.
extension ConnectionSetup {
  /// Records that libcurl has no addresses for the name.
  func requireLookup() { lookup.require() }

  /// Starts the lookup of the name at which libcurl stopped.
  private func startLookup(for exchange: Exchange) throws(LupineError) {
    let host = exchange.route.endpoint(for: exchange.url).host
    let lookups = exchange.loop.lookups.lookups(of: exchange.context.resolver)
    // libcurl knows these names only without the dot at the end.
    if let addresses = IPAddress.ofThisMachine(host) { return try connect(to: addresses, exchange) }
    let waiter = try lookups.addWaiter(for: host) { [ticket = exchange.submission.ticket] in
      ticket.post(.lookedUp($0))
    }
    lookup.begin(waiter, in: lookups, makeTimer(for: exchange))
    if waiter.isQueued { exchange.context.emit(.queued(reason: lookups.queueReason)) }
    lookups.start()
  }

  private func makeTimer(for exchange: Exchange) -> ScheduledTimer? {
    guard let timeout = exchange.submission.connectTimeout else { return nil }
    let (clock, context) = (exchange.clock, exchange.context)
    let time = SessionClock(context.clock, executor: context.executor)
    return time.schedule(clock.remaining(of: timeout, at: MonotonicClock.now)) {
      [ticket = exchange.submission.ticket] in
      ticket.post(.connectTimedOut)
    }
  }

  /// Restarts the transfer with the addresses, or fails the exchange if the lookup failed.
  func finishLookup(_ outcome: HostLookups.Outcome, for exchange: Exchange) {
    guard lookup.isRunning else { return }
    cancelLookup()
    do throws(LupineError) {
      try connect(to: outcome.get(), exchange)
    } catch {
      exchange.fail(exchange.failure ?? NameLookup.error(error, for: exchange.route.proxy))
    }
  }

  /// Ends the wait for the name; no effect if none is under way.
  func cancelLookup() { lookup.cancel() }

  private func connect(to addresses: [IPAddress], _ exchange: Exchange) throws(LupineError) {
    lookup.finish()
    let isRestarted = try restart(exchange) { (easy) throws(LupineError) in
      try easy.set(addresses, of: exchange.route.endpoint(for: exchange.url))
    }
    if !isRestarted { throw HostLookups.timeout }
  }
}
