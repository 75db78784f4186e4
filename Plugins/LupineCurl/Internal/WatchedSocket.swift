import LupineCore

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
