import CLibcurl
import LupineCore

extension Loop {
  /// Returns the state of a descriptor; a new descriptor is assigned to the multi.
  private func socket(_ descriptor: Int32, of multi: Multi) -> WatchedSocket {
    if let known = known(descriptor) { return known }
    let socket = WatchedSocket(multi)
    note(socket, of: descriptor)
    return socket
  }

  func known(_ descriptor: Int32) -> WatchedSocket? {
    descriptor >= 0 && Int(descriptor) < sockets.count ? sockets[Int(descriptor)] : nil
  }

  /// Records that libcurl has opened a connection's socket.
  func opened(_ descriptor: Int32, for multi: Multi) {
    let socket = WatchedSocket(multi)
    socket.isConnection = true
    socket.id = makeConnectionID()
    note(socket, of: descriptor)
    watch.connections.insert(descriptor, id: socket.id)
  }

  /// Closes a connection's socket for libcurl; the kernel removes it from the poller.
  func close(_ descriptor: Int32, of multi: Multi) {
    if let user = known(descriptor)?.user, let exchange = exchanges[user], exchange.isUnderWay, exchange.ports == nil {
      multi.hasFailedDial = true
    }
    if let socket = known(descriptor) {
      socket.isClosed = true
      note(nil, of: descriptor)
    }
    watch.connections.remove(descriptor)
    Socket.closeDescriptor(descriptor)
  }

  /// Records the events that libcurl waits for on a descriptor.
  ///
  /// A connection that libcurl no longer waits for stays watched. Its next request needs the same events, and
  /// `guardSocket` handles the events that arrive before that.
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

  /// Watches a connection that may be idle from now on.
  func guardIdle(_ descriptor: Int32) {
    guard let socket = known(descriptor), socket.isConnection, socket.watched == 0 else { return }
    watch(descriptor, socket, for: Poller.readable)
  }

  /// Handles the events of a connection for which libcurl does not wait.
  ///
  /// Bytes on an idle HTTP/1.1 connection would become the response to its next request. So such a connection is ended,
  /// and libcurl detects that it is dead. A connection whose exchanges are paused stays open, and is not watched until
  /// they continue.
  func guardSocket(_ descriptor: Int32, _ readiness: UInt32) {
    guard let socket = known(descriptor), socket.wanted == 0, socket.watched != 0 else { return }
    poller.forget(descriptor)
    socket.watched = 0
    if socket.isMultiplexed, readiness & (Poller.broken | Poller.halfClosed) == 0 { return }
    if !isInUse(descriptor, socket) { watch.connections.end(descriptor) }
  }

  /// Closes the multis that no exchange uses, to free descriptors.
  ///
  /// Returns true if a connection was closed, or if the multi has an idle connection that a new one can replace.
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

  /// The number of a multi's connections, including idle ones.
  func connectionCount(of multi: Multi) -> Int { sockets.count { $0?.multi === multi && $0?.isConnection == true } }

  /// Ends the exchanges of the connections that the watch has ended, before libcurl reports them.
  func endCut() {
    for cut in watch.connections.takeCuts() {
      // epoll does not watch the dead socket that has replaced the descriptor.
      if let socket = known(cut.descriptor), socket.id == cut.id { socket.watched = 0 }
      for exchange in exchanges.all where exchange.isUnderWay && exchange.uses(cut) { exchange.endFlooded() }
    }
  }

  /// Returns the TLS details of an exchange's connection; they are read once per connection.
  func details(of easy: Easy) -> TLSDetails? {
    // libcurl does not expose the descriptor of a connection that several exchanges share.
    guard let socket = known(easy.descriptor), socket.isConnection else { return easy.sharedDetails }
    if let known = socket.tls { return known }
    let details = easy.connection.map { TLSDetails($0) }
    socket.tls = details
    return details
  }

  /// Counts the connections; the connection of a paused exchange is not idle, although libcurl waits for no event on
  /// it.
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

  /// Returns the descriptor of a TLS connection over a Unix-domain socket.
  func descriptor(securedBy connection: OpaquePointer, of multi: Multi) -> Int32? {
    sockets.firstIndex { $0?.multi === multi && $0?.secured == connection }.map { Int32($0) }
  }

  /// Closes a connection that must not be reused, unless another exchange uses it.
  ///
  /// libcurl then removes it from its pool.
  func discard(_ connection: WatchedSocket) {
    guard let index = sockets.firstIndex(where: { $0 === connection }),
      !exchanges.all.contains(where: { $0.isUnderWay && $0.ports == connection.ports })
    else { return }
    poller.forget(Int32(index))
    connection.watched = 0
    connection.ports = nil
    connection.isConnection = false
    watch.connections.end(Int32(index))
  }
}

/// The loop's state of one of libcurl's descriptors.
final class WatchedSocket {
  /// A number that no other connection of the loop has; 0 if the descriptor is not a connection.
  var id: UInt64 = 0
  /// The multi that uses the descriptor.
  var multi: Multi
  /// The events that epoll watches for; 0 if the descriptor is not watched.
  var watched: UInt32 = 0
  /// The events that libcurl waits for; 0 while the connection is idle or all of its exchanges are paused.
  var wanted: UInt32 = 0
  /// The exchange for which libcurl last reported the descriptor.
  var user: UInt64 = 0
  /// Whether the descriptor is a connection, whose close libcurl reports, and not a pipe of its resolver.
  var isConnection = false
  /// Whether the connection uses HTTP/2, so that frames may arrive at any time.
  var isMultiplexed = false
  /// The ports of a connection that may carry several exchanges; nil until they are read.
  var ports: SocketPorts?
  /// The `SSL` object of a connection over a Unix-domain socket.
  var secured: OpaquePointer?
  /// Whether libcurl has closed the connection.
  var isClosed = false
  /// The TLS details of the connection; nil until they are read.
  var tls: TLSDetails?

  init(_ multi: Multi) { self.multi = multi }
}
