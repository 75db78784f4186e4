import CLibcurl
import LupineCore

/// Resolves the host's name with `HostLookups` instead of libcurl.
///
/// libcurl resolves each name on its own thread, without a limit. So the resolver-start callback stops the transfer if
/// libcurl has no cached addresses. `HostLookups` resolves the name, and the transfer restarts with the addresses.
extension Exchange {
  /// The host and the port that libcurl connects to.
  private var dialled: (host: String, port: Int) {
    if let proxy = route.proxy { (proxy.host, proxy.port) } else { (url.host, url.effectivePort) }
  }

  /// Whether libcurl may resolve the host itself; false stops the transfer.
  func mayLookUp(_ easy: Easy) -> Bool {
    let host = dialled.host.lowercased()
    // libcurl also calls back for the local address, after the host's name. Local addresses and IP literals need no
    // thread.
    if easy.size(CURLINFO_NAMELOOKUP_TIME_T) > 0 || host.contains(":") || IPAddress(host) != nil { return true }
    if host == "localhost" || host.hasSuffix(".localhost") { return true }
    let rare = rareState()
    if !rare.lookup.isKnown { rare.lookup = .wanted }
    return false
  }

  /// Starts the lookup of the name at which libcurl stopped; false if the transfer ended for another reason.
  func looksUp(after code: CURLcode) -> Bool {
    guard let rare, rare.lookup.isWanted, failure == nil, code != CURLE_OK else { return false }
    let lookups = loop.engine.lookups
    do throws(LupineError) {
      let place = try lookups.enter(dialled.host) { [ticket = submission.ticket] in ticket.resolved($0) }
      rare.lookup = .underWay(place)
      if place.isQueued { context.emit(.queued(reason: lookups.reason)) }
      startLookupTimer(rare)
      lookups.launch()
      return true
    } catch {
      failure = error
      return false
    }
  }

  private func startLookupTimer(_ rare: RareState) {
    guard let timeout = submission.connectTimeout else { return }
    let clock = clock
    let time = SessionClock(context.clock, executor: context.executor)
    rare.lookupTimer = time.schedule(clock.rest(of: timeout, at: Moment.now)) { [ticket = submission.ticket] in
      ticket.resolved(.failure(HostLookups.late))
    }
  }

  /// Restarts the transfer with the addresses, or ends the exchange if the lookup failed.
  func resolved(_ outcome: HostLookups.Outcome) {
    guard let rare, case .underWay = rare.lookup, let easy else { return }
    leaveLookup()
    rare.lookup = .known
    do throws(LupineError) {
      let addresses = try outcome.get()
      let isInTime = try beginAnew(easy) { (easy) throws(LupineError) in try easy.set(addresses, of: dialled) }
      if !isInTime { throw HostLookups.late }
    } catch {
      end(failure ?? explained(error))
    }
  }

  /// Reports a failed lookup of the proxy's name as `proxyFailed`.
  private func explained(_ error: LupineError) -> LupineError {
    guard let proxy = route.proxy, error.kind == .hostNotFound else { return error }
    return LupineError(.proxyFailed, "The proxy \(proxy) made no connection. \(error.message)")
  }

  /// Cancels the wait for the name.
  func leaveLookup() {
    guard let rare, case .underWay(let place) = rare.lookup else { return }
    loop.engine.lookups.leave(place)
    rare.lookupTimer?.cancel()
    rare.lookupTimer = nil
    rare.lookup = .none
  }
}
