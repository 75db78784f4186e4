import CLibcurl
import LupineCore
import LupineEventLoop
import LupineTLS

extension Loop {
  /// Records that libcurl has opened a connection's socket.
  func recordOpened(_ descriptor: Int32, for multi: Multi, _ exchange: Exchange?) {
    if let exchange { removeClosedAttempts(of: exchange) }
    let socket = WatchedSocket(descriptor, multi)
    socket.isConnection = true
    socket.id = makeConnectionID()
    sockets.store(socket, at: descriptor)
    watchdog.connections.insert(descriptor, id: socket.id)
    exchange?.attempts.append(socket)
  }

  /// Removes the sockets of an exchange that libcurl has closed without a callback.
  ///
  /// libcurl before 8.2 closes a socket without a callback if it gives up the attempt before the connection is made.
  func removeClosedAttempts(of exchange: Exchange) {
    exchange.attempts.removeAll { socket in
      guard sockets[socket.descriptor] === socket else { return true }
      guard !watchdog.connections.isOpen(socket.descriptor) else { return false }
      remove(socket.descriptor)
      races.removeAttempt(socket.descriptor, of: exchange.id)
      return true
    }
  }

  private func remove(_ descriptor: Int32) {
    if let socket = sockets[descriptor] {
      socket.isClosed = true
      if let port = socket.replacedPort { socket.multi.replacedPeers[port] = nil }
      sockets.store(nil, at: descriptor)
    }
    watchdog.connections.remove(descriptor)
  }

  /// Closes a connection's socket for libcurl; the kernel removes it from the poller.
  func close(_ descriptor: Int32, of multi: Multi) {
    if let id = sockets[descriptor]?.exchangeID, let exchange = exchanges[id], exchange.isUnderWay,
      exchange.ports == nil
    {
      multi.recordFailedConnect(of: exchange)
    }
    remove(descriptor)
    races.remove(descriptor)
    Socket.closeDescriptor(descriptor)
  }

  /// Records the events that libcurl waits for on a descriptor.
  ///
  /// A connection that libcurl no longer waits for stays watched. Its next request needs the same events, and
  /// `checkIdleSocket` handles the events that arrive before that.
  func updateEvents(of descriptor: Int32, _ what: Int32, for multi: Multi, exchange id: UInt64) {
    let socket = sockets.findOrAdd(descriptor, for: multi)
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
      sockets.store(nil, at: descriptor)
    } else if socket.watchedEvents & Poller.writable != 0 {
      watch(descriptor, socket, for: Poller.readable)
    }
  }

  /// Watches an exchange's connection, which may be idle from now on.
  func watchIdle(_ descriptor: Int32, of host: HostQueue, at now: UInt64) {
    guard let socket = sockets[descriptor], socket.isConnection else { return }
    socket.host = host
    socket.idleSince = now
    if socket.watchedEvents == 0 { watch(descriptor, socket, for: Poller.readable) }
  }

  /// Closes the connections to the origin of an exchange whose reused connection was lost, if they have been idle since
  /// before the exchange began to use that connection.
  ///
  /// A server that has closed one connection, as after a timeout, has probably closed the others. libcurl does not
  /// choose a connection by its idle time, so the idle time of the lost connection does not matter.
  func closeIdle(like lost: Exchange) {
    guard let begun = lost.connection.reusedAt else { return }
    let similar = sockets.idleConnections(except: usedConnections(besides: lost)) { socket in
      socket.multi === lost.multi && !socket.isMultiplexed && socket.host === lost.host && socket.idleSince <= begun
    }
    for socket in similar { close(socket) }
  }

  /// Handles the events of a connection for which libcurl does not wait.
  ///
  /// Bytes on an idle HTTP/1.1 connection would become the response to its next request. So such a connection is ended,
  /// and libcurl detects that it is dead. A connection whose exchanges are paused stays open, and is not watched until
  /// they continue.
  func checkIdleSocket(_ descriptor: Int32, _ readiness: UInt32) {
    guard let socket = sockets[descriptor], socket.requestedEvents == 0, socket.watchedEvents != 0 else { return }
    poller.unwatch(descriptor)
    socket.watchedEvents = 0
    if socket.isMultiplexed, readiness & (Poller.broken | Poller.halfClosed) == 0 { return }
    if !isInUse(descriptor, socket) { watchdog.connections.close(descriptor) }
  }

  /// Closes the multis that no exchange uses, to free descriptors.
  ///
  /// Returns true if a connection was closed, or if the multi has an idle connection that a new one can replace.
  func freeDescriptor(in multi: Multi) -> Bool {
    let hasClosed = closeUnused(except: multi)
    multi.hasIdleConnection = !sockets.idleConnections(except: usedConnections()) { $0.multi === multi }.isEmpty
    return hasClosed || multi.hasIdleConnection
  }

  /// The connections of the exchanges that libcurl processes.
  private func usedConnections(besides exchange: Exchange? = nil) -> Set<SocketPorts> {
    Set(exchanges.values.lazy.compactMap { $0.isUnderWay && $0 !== exchange ? $0.ports : nil })
  }

  /// Ends the exchanges of the connections that the watchdog has ended, before libcurl reports them.
  func failFloodedExchanges() {
    for ended in watchdog.connections.takeEndedConnections() {
      // epoll does not watch the dead socket that has replaced the descriptor.
      if let socket = sockets[ended.descriptor], socket.id == ended.id { socket.watchedEvents = 0 }
      for exchange in exchanges.values where exchange.isUnderWay && exchange.connection.matches(ended) {
        let proxy = exchange.ports == nil ? exchange.route.proxy : nil
        exchange.fail(exchange.failure ?? FailedTransfer.flooded(by: proxy))
      }
    }
  }

  /// The descriptor of an exchange's connection over a Unix-domain socket; -1 if libcurl has not reported it yet.
  func unixDescriptor(of exchange: Exchange, _ easy: Easy, isReused: Bool) -> Int32 {
    let secured = exchange.submission.isSecured ? easy.connection : nil
    if isReused { return secured.flatMap { sockets.descriptor(ofTLS: $0, of: exchange.multi) } ?? -1 }
    sockets[exchange.connection.socket]?.tlsConnection = secured
    return exchange.connection.socket
  }

  /// Returns the TLS details of an exchange's connection; they are read once per connection.
  func details(of easy: Easy) -> TLSDetails? {
    // libcurl does not expose the descriptor of a connection that several exchanges share.
    guard let socket = sockets[easy.descriptor], socket.isConnection else { return easy.sharedDetails }
    if let details = socket.tlsDetails { return details }
    let details = easy.connection.map { TLSDetails($0) }
    socket.tlsDetails = details
    return details
  }

  /// Counts the connections.
  func snapshot(waiting: Int) -> ConnectionPoolSnapshot {
    var snapshot = ConnectionPoolSnapshot(waiting: waiting)
    snapshot.open = sockets.connectionCount
    snapshot.idle = sockets.idleConnections(except: usedConnections()).count
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
  /// Applies a GOAWAY to every exchange of the connection; libcurl reports it only to the exchange that is reading.
  func record(goAwayAbove last: UInt32, on reader: Exchange) {
    guard let ports = reader.ports, reader.stream.goAwayExcludesMore(above: last) else { return }
    guard ports.identifiesConnection else { return reader.record(goAwayAbove: last) }
    reader.connection.shared?.lastStream = last
    for exchange in exchanges.values
    where exchange.isUnderWay && exchange.multi === reader.multi && exchange.ports == ports {
      exchange.record(goAwayAbove: last)
    }
  }

  /// Shuts a connection down; libcurl then reads its end and fails its exchanges.
  func close(_ connection: WatchedSocket) {
    guard sockets[connection.descriptor] === connection else { return }
    poller.unwatch(connection.descriptor)
    connection.watchedEvents = 0
    watchdog.connections.close(connection.descriptor)
    watch(connection.descriptor, connection, for: connection.requestedEvents)
  }

  /// Closes a connection that must not be reused, unless another exchange uses it.
  ///
  /// libcurl then removes it from its pool.
  func closeIfUnused(_ connection: WatchedSocket) {
    guard sockets[connection.descriptor] === connection,
      !exchanges.values.contains(where: { $0.isUnderWay && $0.ports == connection.ports })
    else { return }
    poller.unwatch(connection.descriptor)
    connection.watchedEvents = 0
    connection.ports = nil
    connection.isConnection = false
    watchdog.connections.close(connection.descriptor)
  }
}
