import LupineCore
import LupineFraming

/// Carries an exchange over a connection of HTTP/1.1 that no other exchange uses (RFC 9112).
///
/// Only the thread of the loop uses it.
final class HTTP1Carrier: Carrier {
  let exchange: Exchange
  let connection: Connection
  // Without dynamic checks of exclusive access: none of these values calls the carrier.
  @exclusivity(unchecked) var reader: ResponseReader
  /// The received bytes that wait until the sink has room, or for the next turn.
  @exclusivity(unchecked) var held: [UInt8] = []
  /// The number of bytes at the front of `held` that the reader has recognised as content.
  var heldContentCount = 0
  @exclusivity(unchecked) var output = HTTP1Output()
  /// Whether TLS may end without close_notify after the body.
  var mayLackCloseNotify = false
  @exclusivity(unchecked) var turn = TurnShare()
  private var sendsFirst = false

  init(_ exchange: Exchange, on connection: Connection) {
    self.exchange = exchange
    self.connection = connection
    reader = ResponseReader(
      to: exchange.request.method, exchange.context.limits, exchange.loop.heads, tolerating: exchange.context.tolerances
    )
    connection.user = self
  }

  var loop: Loop { exchange.loop }
  var isActive: Bool { exchange.phase == .active }

  func begin() { beginSending() }

  func resumeSending() { send() }

  /// Releases the connection, which is available to the next exchange before the consumer hears of the end.
  ///
  /// If the request is not completely sent, the connection is closed (RFC 9112 section 9.3).
  func close(_ end: ResponseEnd?, hasTimedOut: Bool) {
    held = []
    output = HTTP1Output()
    if let end, !end.hasSurplus, mayKeepConnection {
      loop.connections.keep(connection, exchange.context.connections)
    } else {
      loop.connections.close(connection)
    }
  }

  var isConnectionLost: Bool { true }

  private var mayKeepConnection: Bool {
    !exchange.mustClose && exchange.outgoing.isComplete && reader.keepsConnection && !connection.hasPeerEnded
      && exchange.context.connections.isKeptAlive && !RequestHead.endsConnection(exchange.request.headers)
  }
}

extension HTTP1Carrier: ConnectionUser, TurnTaker {
  func connectionIsReady(_ connection: Connection) {
    // After a yield the loop calls it again in the next turn.
    guard isActive, !turn.hasYielded else { return }
    turn.begin(loop.turnShare)
    proceed()
  }

  /// Continues in a new turn, after the exchange has used its share of an earlier one.
  func resumeAfterYield() {
    turn.resume(loop.turnShare)
    guard isActive else { return }
    proceed()
  }

  /// Receives and sends, in the other order than in the last turn: one direction may use up a turn, and the other one
  /// must not wait for its end.
  private func proceed() {
    sendsFirst.toggle()
    if sendsFirst { send() }
    receive()
    if !sendsFirst { send() }
  }

  /// Asks the loop to continue in the next turn, unless it has been asked already.
  func yield() {
    if turn.yield() { loop.resumeNextTurn(self) }
  }
}
