import CLibcurl
import LupineCore

/// Resolves the host's name with `HostLookups` instead of libcurl.
///
/// libcurl resolves each name on its own thread, without a limit. So the resolver-start callback stops the transfer if
/// libcurl has no cached addresses. `HostLookups` resolves the name, and the transfer restarts with the addresses.
extension Exchange {
  /// The host and the port that libcurl connects to.
  private var endpoint: (host: String, port: Int) {
    if let proxy = route.proxy { (proxy.host, proxy.port) } else { (url.host, url.effectivePort) }
  }

  /// Whether libcurl may resolve the host itself; false stops the transfer.
  func mayResolve(_ easy: Easy) -> Bool {
    let host = endpoint.host.lowercased()
    // libcurl also calls back for the local address, after the host's name. Local addresses and IP literals need no
    // thread.
    if easy.size(CURLINFO_NAMELOOKUP_TIME_T) > 0 || host.contains(":") || IPAddress(host) != nil { return true }
    if host == "localhost" || host.hasSuffix(".localhost") { return true }
    let uncommon = uncommonState()
    if !uncommon.lookup.isFinished { uncommon.lookup = .needed }
    return false
  }

  /// Starts the lookup of the name at which libcurl stopped; false if the transfer ended for another reason.
  func startLookup(after code: CURLcode) -> Bool {
    guard let uncommon, uncommon.lookup.isNeeded, failure == nil, code != CURLE_OK else { return false }
    let lookups = loop.engine.lookups
    do throws(LupineError) {
      let waiter = try lookups.addWaiter(for: endpoint.host) { [ticket = submission.ticket] in
        ticket.finishLookup($0)
      }
      uncommon.lookup = .running(waiter)
      if waiter.isQueued { context.emit(.queued(reason: lookups.queueReason)) }
      startLookupTimer(uncommon)
      lookups.startThread()
      return true
    } catch {
      failure = error
      return false
    }
  }

  private func startLookupTimer(_ uncommon: UncommonState) {
    guard let timeout = submission.connectTimeout else { return }
    let clock = clock
    let time = SessionClock(context.clock, executor: context.executor)
    uncommon.lookupTimer = time.schedule(clock.remaining(of: timeout, at: MonotonicClock.now)) {
      [ticket = submission.ticket] in
      ticket.finishLookup(.failure(HostLookups.timeout))
    }
  }

  /// Restarts the transfer with the addresses, or ends the exchange if the lookup failed.
  func finishLookup(_ outcome: HostLookups.Outcome) {
    guard let uncommon, case .running = uncommon.lookup, let easy else { return }
    cancelLookup()
    uncommon.lookup = .finished
    do throws(LupineError) {
      let addresses = try outcome.get()
      let isInTime = try restart(easy) { (easy) throws(LupineError) in try easy.set(addresses, of: endpoint) }
      if !isInTime { throw HostLookups.timeout }
    } catch {
      fail(failure ?? proxyError(error))
    }
  }

  /// Reports a failed lookup of the proxy's name as `proxyFailed`.
  private func proxyError(_ error: LupineError) -> LupineError {
    guard let proxy = route.proxy, error.kind == .hostNotFound else { return error }
    return LupineError(.proxyFailed, "The proxy \(proxy) made no connection. \(error.message)")
  }

  /// Cancels the wait for the name.
  func cancelLookup() {
    guard let uncommon, case .running(let waiter) = uncommon.lookup else { return }
    loop.engine.lookups.removeWaiter(waiter)
    uncommon.lookupTimer?.cancel()
    uncommon.lookupTimer = nil
    uncommon.lookup = .none
  }
}
