import CLibcurl
import LupineCore

/// libcurl resolves each name on its own thread, without a limit. So the resolver-start callback stops the transfer
/// when libcurl has no cached addresses; `HostLookups` resolves the name, and the transfer restarts with the addresses.
extension Exchange {
  /// The host that libcurl connects to, and its port.
  private var dialled: (host: String, port: Int) {
    if let proxy = route.proxy { (proxy.host, proxy.port) } else { (url.host, url.effectivePort) }
  }

  /// Whether libcurl may go on where it does not know the addresses of a host.
  func mayLookUp(_ easy: Easy) -> Bool {
    let host = dialled.host.lowercased()
    // libcurl asks again for the local address after the host's. Local addresses and IP literals need no thread.
    if easy.size(CURLINFO_NAMELOOKUP_TIME_T) > 0 || host.contains(":") || IPAddress(host) != nil { return true }
    if host == "localhost" || host.hasSuffix(".localhost") { return true }
    let rare = rareState()
    if !rare.lookup.isKnown { rare.lookup = .wanted }
    return false
  }

  /// Begins to look up the name that libcurl stopped at; false where it stopped for another reason.
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

  /// Goes on with the name's addresses, or ends where there are none.
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

/// How far an exchange has come with the name that it connects to.
enum NameState {
  case none
  /// libcurl does not know its addresses.
  case wanted
  case underWay(HostLookups.Place)
  /// libcurl has been given them.
  case known

  var isWanted: Bool { if case .wanted = self { true } else { false } }
  var isKnown: Bool { if case .known = self { true } else { false } }
}
