import CLibcurl
import LupineCore
import LupineEventLoop
import LupineTLS

extension Loop {
  /// Returns the state of a descriptor; a new descriptor is assigned to the multi.
  private func findOrAddSocket(_ descriptor: Int32, for multi: Multi) -> WatchedSocket {
    if let socket = watchedSocket(descriptor) { return socket }
    let socket = WatchedSocket(descriptor, multi)
    store(socket, at: descriptor)
    return socket
  }

  /// Returns the state of a descriptor; nil if libcurl does not use it.
  func watchedSocket(_ descriptor: Int32) -> WatchedSocket? {
    descriptor >= 0 && Int(descriptor) < sockets.count ? sockets[Int(descriptor)] : nil
  }

  /// Records that libcurl has opened a connection's socket.
  func recordOpened(_ descriptor: Int32, for multi: Multi, _ exchange: Exchange?) {
    if let exchange { forgetAbandoned(by: exchange) }
    let socket = WatchedSocket(descriptor, multi)
    socket.isConnection = true
    socket.id = makeConnectionID()
    store(socket, at: descriptor)
    watchdog.connections.insert(descriptor, id: socket.id)
    exchange?.attempts.append(socket)
  }

  /// Forgets the sockets of an exchange that libcurl has closed without a callback.
  ///
  /// libcurl before 8.2 closes a socket without a callback if it gives up the attempt before the connection is made.
  func forgetAbandoned(by exchange: Exchange) {
    exchange.attempts.removeAll { socket in
      guard watchedSocket(socket.descriptor) === socket else { return true }
      guard !watchdog.connections.isOpen(socket.descriptor) else { return false }
      forget(socket.descriptor)
      races.removeAttempt(socket.descriptor, of: exchange.id)
      return true
    }
  }

  private func forget(_ descriptor: Int32) {
    if let socket = watchedSocket(descriptor) {
      socket.isClosed = true
      if let port = socket.replacedPort { socket.multi.replacedPeers[port] = nil }
      store(nil, at: descriptor)
    }
    watchdog.connections.remove(descriptor)
  }

  /// Closes a connection's socket for libcurl; the kernel removes it from the poller.
  func close(_ descriptor: Int32, of multi: Multi) {
    if let id = watchedSocket(descriptor)?.exchangeID, let exchange = exchanges[id], exchange.isUnderWay,
      exchange.ports == nil
    {
      multi.hasFailedConnect = true
    }
    forget(descriptor)
    races.remove(descriptor)
    Socket.closeDescriptor(descriptor)
  }

  /// Records the events that libcurl waits for on a descriptor.
  ///
  /// A connection that libcurl no longer waits for stays watched. Its next request needs the same events, and
  /// `checkIdleSocket` handles the events that arrive before that.
  func updateEvents(of descriptor: Int32, _ what: Int32, for multi: Multi, exchange id: UInt64) {
    let socket = findOrAddSocket(descriptor, for: multi)
    var events: UInt32 = 0
    if what & CURL_POLL_IN != 0, what != CURL_POLL_REMOVE { events |= Poller.readable }
    if what & CURL_POLL_OUT != 0, what != CURL_POLL_REMOVE { events |= Poller.writable }
    if socket.multi !== multi { socket.multi = multi }
    socket.exchangeID = id
    socket.requestedEvents = events
    socket.awaitsWindow = false
    socket.bytesSent = nil
    if events != 0 {
      watch(descriptor, socket, for: events)
    } else if socket.id == 0 {
      poller.unwatch(descriptor)
      store(nil, at: descriptor)
    } else if socket.watchedEvents & Poller.writable != 0 {
      watch(descriptor, socket, for: Poller.readable)
    }
  }

  /// Watches an exchange's connection, which may be idle from now on.
  func watchIdle(_ descriptor: Int32, of host: HostQueue, at now: UInt64) {
    guard let socket = watchedSocket(descriptor), socket.isConnection else { return }
    socket.host = host
    socket.idleSince = now
    if socket.watchedEvents == 0 { watch(descriptor, socket, for: Poller.readable) }
  }

  /// Ends the connections to the origin of an exchange whose reused connection was lost, if they have been idle since
  /// before the exchange began to use that connection.
  ///
  /// A server that has closed one connection, as after a timeout, has probably closed the others. libcurl does not
  /// choose a connection by its idle time, so the idle time of the lost connection does not matter.
  func endIdle(like lost: Exchange) {
    guard let begun = lost.reusedAt else { return }
    let used = exchanges.values.compactMap { $0.isUnderWay && $0 !== lost ? $0.ports : nil }
    for index in sockets.indices {
      guard let socket = sockets[index], socket.multi === lost.multi, socket.isConnection, !socket.isMultiplexed,
        socket.host === lost.host, socket.idleSince <= begun, socket.requestedEvents == 0,
        !used.contains(SocketPorts(Int32(index)))
      else { continue }
      poller.unwatch(Int32(index))
      socket.watchedEvents = 0
      watchdog.connections.end(Int32(index))
    }
  }

  /// Handles the events of a connection for which libcurl does not wait.
  ///
  /// Bytes on an idle HTTP/1.1 connection would become the response to its next request. So such a connection is ended,
  /// and libcurl detects that it is dead. A connection whose exchanges are paused stays open, and is not watched until
  /// they continue.
  func checkIdleSocket(_ descriptor: Int32, _ readiness: UInt32) {
    guard let socket = watchedSocket(descriptor), socket.requestedEvents == 0, socket.watchedEvents != 0 else { return }
    poller.unwatch(descriptor)
    socket.watchedEvents = 0
    if socket.isMultiplexed, readiness & (Poller.broken | Poller.halfClosed) == 0 { return }
    if !isInUse(descriptor, socket) { watchdog.connections.end(descriptor) }
  }

  /// Closes the multis that no exchange uses, to free descriptors.
  ///
  /// Returns true if a connection was closed, or if the multi has an idle connection that a new one can replace.
  func freeDescriptor(in multi: Multi) -> Bool {
    let hasClosed = closeUnused(except: multi)
    let used = exchanges.values.compactMap { $0.isUnderWay ? $0.ports : nil }
    let hasIdle = sockets.indices.contains { index in
      guard let socket = sockets[index], socket.isConnection, socket.multi === multi, socket.requestedEvents == 0 else {
        return false
      }
      return !used.contains(SocketPorts(Int32(index)))
    }
    multi.hasIdleConnection = hasIdle
    return hasClosed || hasIdle
  }

  /// The number of a multi's connections, including idle ones.
  func connectionCount(of multi: Multi) -> Int { sockets.count { $0?.multi === multi && $0?.isConnection == true } }

  /// Ends the exchanges of the connections that the watchdog has ended, before libcurl reports them.
  func failFloodedExchanges() {
    for ended in watchdog.connections.takeEndedConnections() {
      // epoll does not watch the dead socket that has replaced the descriptor.
      if let socket = watchedSocket(ended.descriptor), socket.id == ended.id { socket.watchedEvents = 0 }
      for exchange in exchanges.values where exchange.isUnderWay && exchange.uses(ended) { exchange.failFlooded() }
    }
  }

  /// Returns the TLS details of an exchange's connection; they are read once per connection.
  func details(of easy: Easy) -> TLSDetails? {
    // libcurl does not expose the descriptor of a connection that several exchanges share.
    guard let socket = watchedSocket(easy.descriptor), socket.isConnection else { return easy.sharedDetails }
    if let details = socket.tlsDetails { return details }
    let details = easy.connection.map { TLSDetails($0) }
    socket.tlsDetails = details
    return details
  }

  /// Counts the connections; the connection of a paused exchange is not idle, although libcurl waits for no event on
  /// it.
  func snapshot(waiting: Int) -> ConnectionPoolSnapshot {
    let used = exchanges.values.compactMap { $0.isUnderWay ? $0.ports : nil }
    var snapshot = ConnectionPoolSnapshot(waiting: waiting)
    for descriptor in sockets.indices {
      guard let socket = sockets[descriptor], socket.isConnection else { continue }
      snapshot.open += 1
      guard socket.requestedEvents == 0 else { continue }
      if !used.contains(SocketPorts(Int32(descriptor))) { snapshot.idle += 1 }
    }
    return snapshot
  }

  func watch(_ descriptor: Int32, _ socket: WatchedSocket, for events: UInt32) {
    guard socket.watchedEvents != events else { return }
    guard events != 0 else {
      poller.unwatch(descriptor)
      socket.watchedEvents = 0
      return
    }
    // Without a watch the timeouts end the exchange; the next change of the events tries again.
    guard (try? poller.watch(descriptor, for: events, isWatched: socket.watchedEvents != 0)) != nil else { return }
    socket.watchedEvents = events
  }

  private func isInUse(_ descriptor: Int32, _ socket: WatchedSocket) -> Bool {
    if exchanges[socket.exchangeID]?.isUnderWay == true { return true }
    let ports = SocketPorts(descriptor)
    return exchanges.values.contains { $0.isUnderWay && $0.ports == ports }
  }
}

/// Connections that carry several exchanges at the same time.
extension Loop {
  /// Returns a multi's connection with these ports; nil if there is none.
  ///
  /// libcurl does not expose the descriptor of a connection that several exchanges share.
  func connection(_ ports: SocketPorts, of multi: Multi) -> WatchedSocket? {
    for case let socket? in sockets where socket.multi === multi && socket.ports == ports { return socket }
    for index in sockets.indices {
      guard let socket = sockets[index], socket.multi === multi, socket.isConnection, SocketPorts(Int32(index)) == ports
      else { continue }
      socket.ports = ports
      return socket
    }
    return nil
  }

  /// Returns the open connections of a multi.
  func connections(of multi: Multi) -> [WatchedSocket] {
    sockets.compactMap { $0 }.filter { $0.multi === multi && $0.isConnection }
  }

  /// Returns the descriptor of a TLS connection over a Unix-domain socket.
  func descriptor(ofTLS connection: OpaquePointer, of multi: Multi) -> Int32? {
    sockets.firstIndex { $0?.multi === multi && $0?.tlsConnection == connection }.map { Int32($0) }
  }

  /// Shuts a connection down; libcurl then reads its end and ends its exchanges.
  func end(_ connection: WatchedSocket) {
    guard watchedSocket(connection.descriptor) === connection else { return }
    poller.unwatch(connection.descriptor)
    connection.watchedEvents = 0
    watchdog.connections.end(connection.descriptor)
    watch(connection.descriptor, connection, for: connection.requestedEvents)
  }

  /// Closes a connection that must not be reused, unless another exchange uses it.
  ///
  /// libcurl then removes it from its pool.
  func discard(_ connection: WatchedSocket) {
    guard let index = sockets.firstIndex(where: { $0 === connection }),
      !exchanges.values.contains(where: { $0.isUnderWay && $0.ports == connection.ports })
    else { return }
    poller.unwatch(Int32(index))
    connection.watchedEvents = 0
    connection.ports = nil
    connection.isConnection = false
    watchdog.connections.end(Int32(index))
  }
}

/// The loop's state of one of libcurl's descriptors.
final class WatchedSocket {
  /// A number that no other connection of the loop has; 0 if the descriptor is not a connection.
  var id: UInt64 = 0
  /// The number of the descriptor.
  let descriptor: Int32
  /// The multi that uses the descriptor.
  var multi: Multi
  /// The events that epoll watches for; 0 if the descriptor is not watched.
  var watchedEvents: UInt32 = 0
  /// The origin of the last exchange on the connection; `nil` before it has ended.
  var host: HostQueue?
  /// When the last exchange on the connection ended.
  var idleSince: UInt64 = 0
  /// The events that libcurl waits for; 0 while the connection is idle or all of its exchanges are paused.
  var requestedEvents: UInt32 = 0
  /// The exchange for which libcurl last reported the descriptor.
  var exchangeID: UInt64 = 0
  /// Whether the descriptor is a connection, whose close libcurl reports, and not a pipe of its resolver.
  var isConnection = false
  /// Whether the connection uses HTTP/2, so that frames may arrive at any time.
  var isMultiplexed = false
  /// The ports of a connection that may carry several exchanges; nil until they are read.
  var ports: SocketPorts?
  /// The `SSL` object of a connection over a Unix-domain socket.
  var tlsConnection: OpaquePointer?
  /// The processor time that libcurl may spend on the connection without delivering data.
  var floodBudget = FloodBudget()
  /// The number of bytes that had been sent at the last idle write, which `recordIdleWrite(to:_:)` records.
  var bytesSent: Int64?
  /// Whether an upload waits for the server's window, so that the connection is not watched for room in the socket.
  var awaitsWindow = false
  /// The local port of the connection if its address is not the one that libcurl has tried; see `AddressRace`.
  var replacedPort: Int32?
  /// Whether libcurl has closed the connection.
  var isClosed = false
  /// The TLS details of the connection; nil until they are read.
  var tlsDetails: TLSDetails?
  /// The highest number of a stream on which a part of a response has arrived.
  var lastAnsweredStream: UInt32 = 0

  init(_ descriptor: Int32, _ multi: Multi) {
    self.descriptor = descriptor
    self.multi = multi
  }
}
