import LupineCore
import LupineEventLoop
import LupineSupport

/// The user of a connection: an attempt to make it, a step of its establishment, or an exchange.
protocol ConnectionUser: AnyObject {
  /// The socket may be ready to send or to receive; also called when it is not.
  func connectionIsReady(_ connection: Connection)
}

/// A connection and what the poller has said about it; used on the loop's thread.
final class Connection {
  let route: Route
  /// The peer, as metrics and events show it.
  let address: String
  let madeAt: UInt64
  /// The user of the connection; `nil` while it is idle.
  var user: (any ConnectionUser)?
  /// Whether a receive may bring something; the poller reports each change once.
  var mayReceive = false
  /// Whether the poller has reported that the socket has been connected or has failed.
  private var isReported = false
  /// Whether the peer has ended its direction, so that a short receive is not the last one.
  private(set) var hasPeerEnded = false
  /// When the connection became idle.
  var idleSince: UInt64 = 0
  /// When the idle connection is closed.
  var expiry: UInt64 = 0
  /// The time of the connection's entry among the expiries of the pool; `nil` without one.
  var scheduledExpiry: UInt64?
  /// The place among the idle connections of the pool; `nil` while the connection is used.
  var idlePlace: RemovableQueue<Connection>.Place?
  /// The place among the idle connections of its route, with HTTP/1.1.
  var routePlace: RemovableQueue<Connection>.Place?
  var isIdle: Bool { idlePlace != nil }
  /// Whether the loop still has the connection.
  var isOpen = true
  /// The version of HTTP that the connection carries, which TLS may negotiate (RFC 7301).
  var version = ProtocolVersion.http1_1
  /// The details of the TLS connection to the server; `nil` without TLS.
  var tls: TLSDetails?
  private let clear: ClearChannel
  /// Moves the bytes of requests and responses.
  private var channel: any Channel

  init(_ socket: consuming Socket, to target: SocketTarget, for route: Route, at now: UInt64) {
    let clear = ClearChannel(socket)
    self.clear = clear
    channel = clear
    self.route = route
    address = target.text
    madeAt = now
  }

  var descriptor: Int32 { clear.socket.descriptor }

  /// Whether the socket is connected; false while it connects.
  func isConnected() throws(SystemError) -> Bool {
    if try clear.socket.isConnected() { return true }
    // The poller reports a socket once, when it has been connected or has failed.
    guard isReported else { return false }
    throw .notConnected
  }

  /// Records what the poller has reported.
  func record(_ readiness: UInt32) {
    if readiness & (Poller.writable | Poller.broken) != 0 { isReported = true }
    if readiness & (Poller.readable | Poller.broken) != 0 { mayReceive = true }
    if readiness & (Poller.halfClosed | Poller.broken) != 0 { hasPeerEnded = true }
  }

  /// Sends further bytes through a channel that is made from the present one, such as a channel with TLS.
  func wrapChannel(_ wrap: (any Channel) throws(LupineError) -> any Channel) throws(LupineError) {
    channel = try wrap(channel)
  }

  /// Sends bytes, at least one.
  func send(_ bytes: UnsafeRawBufferPointer) -> SocketResult { channel.send(bytes) }

  /// Receives bytes, charges the records to the share of the turn, and records whether there may be more.
  func receive(into buffer: UnsafeMutableRawBufferPointer, _ turn: inout TurnShare) -> SocketResult {
    let work = channel.work
    let result = channel.receive(into: buffer)
    turn.countMessage(channel.work - work)
    switch result {
    // A short receive has emptied the socket; later bytes are a new event.
    case .bytes(let count): mayReceive = count == buffer.count || hasPeerEnded || channel.holdsInput
    case .wouldBlock: mayReceive = false
    case .overhead, .end, .failure: break
    }
    return result
  }

  /// Whether there is nothing to read: neither bytes of a response nor the end of the connection.
  var isQuiet: Bool { channel.isQuiet }

  /// Tells the peer that nothing more is sent.
  func closeChannel() { channel.close() }

  /// Whether the peer has ended the connection below TLS without close_notify.
  var hasEndedWithoutNotice: Bool { channel.hasSocketEnded }

  /// Whether the peer has ended the connection below TLS without close_notify after a whole record (FIN, no reset).
  var hasEndedBetweenRecords: Bool { channel.hasEndedBetweenRecords }

  /// Why the channel has failed, if it knows more than that the connection is lost.
  var failure: LupineError? { channel.failure }
}
