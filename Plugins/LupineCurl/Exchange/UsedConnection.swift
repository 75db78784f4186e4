import LupineCore
import LupineEventLoop

/// The connection that libcurl uses for an exchange.
struct UsedConnection {
  /// The descriptor that libcurl last reported for the exchange; -1 if there is none.
  private(set) var socket: Int32 = -1
  /// The number of the connection behind `socket`; 0 if the descriptor is not a connection.
  private var socketID: UInt64 = 0
  /// The ports; nil before the request is sent.
  private(set) var ports: SocketPorts?
  /// The connection's state, if the connection may carry other exchanges at the same time.
  var shared: WatchedSocket?
  /// The TLS details; nil without TLS.
  var tls: TLSDetails?
  /// When the exchange began to use a reused connection; nil for a new connection.
  private(set) var reusedAt: UInt64?

  /// Whether there is no connection, and none is being made.
  var isMissing: Bool { ports == nil && socket < 0 }

  /// Records that libcurl sends the request on a connection.
  mutating func begin(_ ports: SocketPorts, isReused: Bool) {
    self.ports = ports
    if isReused { reusedAt = MonotonicClock.now }
  }

  /// Forgets the connection before the next round of an authentication, which may use another one.
  mutating func beginRound() { ports = nil }

  /// Stores the descriptor that libcurl uses for the exchange.
  mutating func setSocket(_ descriptor: Int32, _ watched: WatchedSocket?, isUnix: Bool) {
    socket = descriptor
    socketID = watched?.id ?? 0
    if isUnix, ports != nil, watched?.isConnection == true { ports = SocketPorts(unixSocket: descriptor) }
  }

  /// Whether an ended connection is this one.
  ///
  /// Before the request has a connection, the comparison uses the socket that libcurl last reported.
  func matches(_ ended: OpenConnections.EndedConnection) -> Bool {
    if let ports { return ports == ended.ports }
    return socketID == ended.id
  }
}
