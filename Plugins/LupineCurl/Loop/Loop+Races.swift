import LupineCore
import LupineEventLoop

/// Attempts to connect to further addresses of a host; see `AddressRace`.
///
/// libcurl connects the sockets that it opens. If another attempt of the race connects first, its socket takes the
/// place of libcurl's socket, with the same descriptor. libcurl then finds its attempt connected.
extension Loop {
  /// Records that libcurl has begun an attempt, and starts a race if the host has other addresses.
  func recordAttempt(_ descriptor: Int32, to address: IPAddress, of exchange: Exchange) {
    if let race = races[exchange.id] { return races.record(descriptor, to: address, in: race, of: exchange.id) }
    let endpoint = exchange.route.endpoint(for: exchange.url)
    let others = exchange.multi.addresses(of: endpoint).filter { $0 != address }
    guard !others.isEmpty else { return }
    races.add(
      AddressRace(to: others, port: endpoint.port, beside: descriptor, at: MonotonicClock.now), of: exchange.id)
  }

  /// Begins the attempts whose time has come.
  func beginAttempts() {
    let now = MonotonicClock.now
    while let (id, race) = races.popDue(at: now) { beginAttempt(of: race, id, at: now) }
  }

  private func beginAttempt(of race: AddressRace, _ id: UInt64, at now: UInt64) {
    guard let exchange = exchanges[id], let address = races.next(of: race, id, at: now),
      exchange.mayConnect(to: address)
    else { return }
    let options = exchange.submission.settings.connections
    guard
      let descriptor = Socket.connect(
        to: address, port: race.port, from: exchange.route.connectionKey.localAddress, probes: options.probeInterval)
    else { return }
    guard (try? poller.watch(descriptor, for: Poller.writable, isWatched: false)) != nil else {
      return Socket.closeDescriptor(descriptor)
    }
    races.addAttempt(descriptor, to: address, in: race, of: id)
  }

  /// Handles an event of a descriptor that belongs to a race.
  func continueRace(_ descriptor: Int32) {
    guard let (id, race) = races.race(of: descriptor), race.sockets[descriptor] != nil else { return }
    switch Socket.isConnected(descriptor) {
    case true?: finish(race, id, with: descriptor)
    case false?: break
    case nil:
      races.remove(descriptor)
      Socket.closeDescriptor(descriptor)
      beginAttempt(of: race, id, at: MonotonicClock.now)
    }
  }

  /// Puts a connected socket in the place of libcurl's, and ends the race.
  private func finish(_ race: AddressRace, _ id: UInt64, with descriptor: Int32) {
    if let target = race.attempts.last, let socket = sockets[target], let exchange = exchanges[id],
      exchange.isUnderWay, exchange.ports == nil
    {
      poller.unwatch(target)
      if Socket.replace(target, with: descriptor) {
        watchdog.connections.insert(target, id: socket.id)
        let port = SocketPorts(target).local
        socket.replacedPort = port
        socket.multi.replacedPeers[port] = race.sockets[descriptor]
      }
      socket.watchedEvents = 0
      watch(target, socket, for: socket.requestedEvents)
    }
    closeRace(of: id)
  }

  /// Closes the sockets of an exchange's race.
  func closeRace(of id: UInt64) {
    for descriptor in races.remove(of: id) { Socket.closeDescriptor(descriptor) }
  }
}
