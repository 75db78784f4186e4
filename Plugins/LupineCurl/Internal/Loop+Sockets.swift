import CLibcurl
import Glibc
import LupineCore

extension Loop {
  /// What is known of a descriptor; a descriptor that is new is taken for one of the multi's.
  private func socket(_ descriptor: Int32, of multi: Multi) -> WatchedSocket {
    if let known = known(descriptor) { return known }
    let socket = WatchedSocket(multi)
    note(socket, of: descriptor)
    return socket
  }

  func known(_ descriptor: Int32) -> WatchedSocket? {
    descriptor >= 0 && Int(descriptor) < sockets.count ? sockets[Int(descriptor)] : nil
  }

  /// Notes that libcurl has opened a connection's socket.
  func opened(_ descriptor: Int32, for multi: Multi) {
    let socket = WatchedSocket(multi)
    socket.isConnection = true
    socket.id = makeConnectionID()
    note(socket, of: descriptor)
    watch.connections.insert(descriptor, id: socket.id)
  }

  /// Closes a connection's socket for libcurl; the kernel takes it out of the poller.
  func close(_ descriptor: Int32, of multi: Multi) {
    if let user = known(descriptor)?.user, let exchange = exchanges[user], exchange.isUnderWay, exchange.ports == nil {
      multi.hasFailedDial = true
    }
    if let socket = known(descriptor) {
      socket.isClosed = true
      note(nil, of: descriptor)
    }
    watch.connections.remove(descriptor)
    Glibc.close(descriptor)
  }

  /// Notes what libcurl waits for on a descriptor.
  ///
  /// A connection that libcurl needs no more stays watched: the same interest comes back with the next request, and what
  /// happens meanwhile concerns the guard of idle connections.
  func want(_ descriptor: Int32, _ what: Int32, for multi: Multi, by user: UInt64) {
    let socket = socket(descriptor, of: multi)
    var events: UInt32 = 0
    if what & CURL_POLL_IN != 0, what != CURL_POLL_REMOVE { events |= Poller.readable }
    if what & CURL_POLL_OUT != 0, what != CURL_POLL_REMOVE { events |= Poller.writable }
    if socket.multi !== multi { socket.multi = multi }
    socket.user = user
    socket.wanted = events
    if events != 0 {
      watch(descriptor, socket, for: events)
    } else if !socket.isConnection {
      poller.forget(descriptor)
      note(nil, of: descriptor)
    } else if socket.watched & Poller.writable != 0 {
      watch(descriptor, socket, for: Poller.readable)
    }
  }

  /// Makes sure that a connection which may be idle from now on is watched.
  func guardIdle(_ descriptor: Int32) {
    guard let socket = known(descriptor), socket.isConnection, socket.watched == 0 else { return }
    watch(descriptor, socket, for: Poller.readable)
  }

  /// Looks after a connection that is ready although nobody waits for it.
  ///
  /// Bytes on an idle connection of HTTP/1.1 would become the answer to its next request: such a connection is closed, and
  /// libcurl finds it dead. One whose exchanges are paused is left alone, and unwatched, until they go on.
  func guardSocket(_ descriptor: Int32, _ readiness: UInt32) {
    guard let socket = known(descriptor), socket.wanted == 0, socket.watched != 0 else { return }
    poller.forget(descriptor)
    socket.watched = 0
    if socket.isMultiplexed, readiness & (Poller.broken | Poller.halfClosed) == 0 { return }
    if !isInUse(descriptor, socket) { watch.connections.end(descriptor) }
  }

  /// Closes the connections that no exchange may use soon; true where descriptors are free then, or the multi has an idle
  /// connection in whose place another can be made.
  func makeRoom(in multi: Multi) -> Bool {
    let hasClosed = closeUnused(but: multi)
    let used = exchanges.all.compactMap { $0.isUnderWay ? $0.ports : nil }
    let hasIdle = sockets.indices.contains { index in
      guard let socket = sockets[index], socket.isConnection, socket.multi === multi, socket.wanted == 0 else {
        return false
      }
      return !used.contains(SocketPorts(Int32(index)))
    }
    multi.hasIdleConnection = hasIdle
    return hasClosed || hasIdle
  }

  /// The connections of a multi, idle ones included.
  func connectionCount(of multi: Multi) -> Int { sockets.count { $0?.multi === multi && $0?.isConnection == true } }

  /// Ends the exchanges of the connections that the watch has ended, before libcurl's word on them is heard.
  func endCut() {
    for cut in watch.connections.takeCuts() {
      // The poller no longer watches the descriptor that the dead socket has replaced.
      if let socket = known(cut.descriptor), socket.id == cut.id { socket.watched = 0 }
      for exchange in exchanges.all where exchange.isUnderWay && exchange.uses(cut) { exchange.endFlooded() }
    }
  }

  /// How the connection of an exchange is secured, read once in the connection's life.
  func details(of easy: Easy) -> TLSDetails? {
    // libcurl does not tell the descriptor of a connection that several exchanges share.
    guard let socket = known(easy.descriptor), socket.isConnection else { return easy.sharedDetails }
    if let known = socket.tls { return known }
    let details = easy.connection.map { TLSDetails($0) }
    socket.tls = details
    return details
  }

  /// Counts the connections; one that a paused exchange uses is not idle, though libcurl waits for nothing on it.
  func snapshot(waiting: Int) -> ConnectionPoolSnapshot {
    let used = exchanges.all.compactMap { $0.isUnderWay ? $0.ports : nil }
    var snapshot = ConnectionPoolSnapshot(waiting: waiting)
    for descriptor in sockets.indices {
      guard let socket = sockets[descriptor], socket.isConnection else { continue }
      snapshot.open += 1
      guard socket.wanted == 0 else { continue }
      if !used.contains(SocketPorts(Int32(descriptor))) { snapshot.idle += 1 }
    }
    return snapshot
  }

  private func watch(_ descriptor: Int32, _ socket: WatchedSocket, for events: UInt32) {
    guard socket.watched != events else { return }
    poller.watch(descriptor, for: events, isWatched: socket.watched != 0)
    socket.watched = events
  }

  private func isInUse(_ descriptor: Int32, _ socket: WatchedSocket) -> Bool {
    if exchanges[socket.user]?.isUnderWay == true { return true }
    let ports = SocketPorts(descriptor)
    return exchanges.all.contains { $0.isUnderWay && $0.ports == ports }
  }
}
