import LupineCore
import LupineEventLoop

/// Attempts to connect to further addresses of a host; see `AddressRace`.
///
/// libcurl connects the sockets that it opens. If another attempt of the race connects first, its socket takes the place of
/// libcurl's socket, with the same descriptor. libcurl then finds its attempt connected.
extension Loop {
  /// Records that libcurl has begun an attempt, and starts a race if the host has other addresses.
  func recordAttempt(_ descriptor: Int32, to address: IPAddress, of exchange: Exchange) {
    if let race = races[exchange.id] { return race.record(descriptor, to: address) }
    let endpoint = exchange.endpoint
    let others = exchange.multi.addresses(of: endpoint).filter { $0 != address }
    guard !others.isEmpty else { return }
    races[exchange.id] = AddressRace(to: others, port: endpoint.port, beside: descriptor, at: MonotonicClock.now)
  }

  /// The earliest time at which an attempt begins.
  var nextAttempt: UInt64? { races.values.compactMap(\.deadline).min() }

  /// Begins the attempts whose time has come.
  func beginAttempts() {
    let now = MonotonicClock.now
    for (id, race) in races {
      if let deadline = race.deadline, deadline <= now { beginAttempt(of: race, id, at: now) }
    }
  }

  private func beginAttempt(of race: AddressRace, _ id: UInt64, at now: UInt64) {
    guard let exchange = exchanges[id], let address = race.next(at: now), exchange.mayConnect(to: address) else {
      return
    }
    let options = exchange.submission.settings.connections
    guard
      let descriptor = Socket.connect(
        to: address, port: race.port, from: exchange.route.connectionKey.localAddress, probes: options.probeInterval)
    else { return }
    guard (try? poller.watch(descriptor, for: Poller.writable, isWatched: false)) != nil else {
      return Socket.closeDescriptor(descriptor)
    }
    race.sockets[descriptor] = address
  }

  /// Handles an event of a descriptor that belongs to a race.
  func continueRace(_ descriptor: Int32) {
    guard let (id, race) = races.first(where: { $0.value.sockets[descriptor] != nil }) else { return }
    switch Socket.isConnected(descriptor) {
    case true?: finish(race, id, with: descriptor)
    case false?: break
    case nil:
      race.sockets[descriptor] = nil
      Socket.closeDescriptor(descriptor)
      beginAttempt(of: race, id, at: MonotonicClock.now)
    }
  }

  /// Puts a connected socket in the place of libcurl's, and ends the race.
  private func finish(_ race: AddressRace, _ id: UInt64, with descriptor: Int32) {
    if let target = race.attempts.last, let socket = watchedSocket(target), let exchange = exchanges[id],
      exchange.isUnderWay, exchange.ports == nil
    {
      poller.unwatch(target)
      if Socket.replace(target, with: descriptor) {
        socket.peer = race.sockets[descriptor]
        socket.multi.hasReplacedPeer = true
      }
      socket.watchedEvents = 0
      watch(target, socket, for: socket.requestedEvents)
    }
    endRace(id)
  }

  /// Closes the sockets of an exchange's race.
  func endRace(_ id: UInt64) {
    guard let race = races.removeValue(forKey: id) else { return }
    for descriptor in race.sockets.keys { Socket.closeDescriptor(descriptor) }
  }

  /// Returns the address of a connection of which libcurl knows the address of its own attempt instead; nil for others.
  func replacedPeer(localPort: Int32, of multi: Multi) -> IPAddress? {
    guard multi.hasReplacedPeer else { return nil }
    for index in sockets.indices {
      guard let socket = sockets[index], socket.multi === multi, let peer = socket.peer,
        SocketPorts(Int32(index)).local == localPort
      else { continue }
      return peer
    }
    return nil
  }
}
