import LupineCore

/// What the loop knows of one descriptor of libcurl's.
final class WatchedSocket {
  /// A number that no other connection of the loop has; 0 for what is no connection.
  var id: UInt64 = 0
  /// The multi it belongs to.
  var multi: Multi
  /// The events that epoll watches for; 0 where the descriptor is not watched.
  var watched: UInt32 = 0
  /// The events that libcurl waits for; 0 while the connection is idle, or all that use it are paused.
  var wanted: UInt32 = 0
  /// The exchange for which libcurl last asked about it.
  var user: UInt64 = 0
  /// Whether it is a connection, whose closing is reported, and not a pipe of the resolver's, whose closing is not.
  var isConnection = false
  /// Whether it speaks HTTP/2, on which frames may arrive at any time.
  var isMultiplexed = false
  /// Its ports, where it is a connection that may carry several exchanges.
  var ports: SocketPorts?
  /// OpenSSL's connection over it, where it is a Unix-domain socket.
  var secured: OpaquePointer?
  /// Whether libcurl has closed it.
  var isClosed = false
  /// How it is secured, once that is known.
  var tls: TLSDetails?

  init(_ multi: Multi) { self.multi = multi }
}
