import LupineCore
import LupineEventLoop
import LupineFraming

/// The loop of a connection of HTTP/2.
protocol SharedConnectionLoop: AnyObject {
  var connections: Connections { get }
  var buffers: Buffers { get }
  /// The heads and lines of earlier responses.
  var heads: HeadCache { get }
  /// The share of each connection in the work of the turn.
  var turnShare: Int { get }

  /// Makes a connection send its frames at the end of the turn.
  func scheduleFlush(_ connection: HTTP2Connection)

  /// Calls the taker again in the next turn.
  func resumeNextTurn(_ taker: any TurnTaker)

  /// Gives the waiting exchanges of a route streams, or makes one of them make a connection.
  func serveWaiting(on route: Route)
}

/// A connection of HTTP/2, which the exchanges of a route share.
///
/// The frames of a turn of the loop are sent together at its end. The connection is closed when it has failed, or when
/// it takes no new streams and its last exchange has ended. While it waits for the answer to a PING, it stays open for
/// 5 s after its last exchange.
final class HTTP2Connection: ConnectionUser, TurnTaker {
  /// The number of bytes that are read between two looks at the share of the turn.
  private static let inputSlice = 16 << 10
  /// The number of bytes that are composed before they are sent.
  private static let outputLimit = 128 << 10
  /// The time in nanoseconds after which an idle connection is closed if its peer has not answered a PING.
  private static let probeTimeout: UInt64 = 5_000_000_000

  let connection: Connection
  let session: HTTP2Session
  private unowned let loop: any SharedConnectionLoop
  /// Whether other exchanges may use the connection.
  private let isShared: Bool
  /// The number of exchanges that use the connection.
  private(set) var exchangeCount = 0
  /// Whether an exchange has used the connection.
  private(set) var hasBeenUsed = false
  /// The places among the connections of the route.
  var places = SharedConnections.Places()
  /// Whether a PING has to be answered before the connection takes further streams.
  private var isProbed = false
  /// The options of the exchange that ended last.
  private var lastOptions = ConnectionOptions()
  private var turn = TurnShare()
  /// The received bytes that wait for the next turn.
  private var held: [UInt8] = []
  /// The composed bytes, of which the system has taken the first `sentCount`.
  private var output: [UInt8] = []
  private var sentCount = 0
  private var hasSendFailed = false
  private var willFlush = false

  /// - Throws: `LupineError` of kind `other` without memory.
  init(_ connection: Connection, _ loop: any SharedConnectionLoop, isShared: Bool) throws(LupineError) {
    self.connection = connection
    self.loop = loop
    self.isShared = isShared
    session = try HTTP2Session(loop.heads)
    connection.user = self
    if isShared { connection.route.sharing.add(self) }
  }

  /// Whether the peer has said how many streams it takes.
  var hasSettings: Bool { session.hasSettings }

  /// Whether an exchange may begin a stream now.
  var hasFreeStream: Bool { session.freeStreams > 0 }

  func exchangeBegan() {
    exchangeCount += 1
    hasBeenUsed = true
    scheduleFlush()
  }

  /// Records the end of an exchange, whose stream has been released.
  ///
  /// - Parameter lastInput: the time at which its stream last received something, or else was begun; `nil` unless a
  ///   timeout ended the exchange. If the peer has shown no life since then, the connection is probed.
  func exchangeEnded(_ options: ConnectionOptions, timedOutSince lastInput: UInt64?) {
    exchangeCount -= 1
    lastOptions = options
    scheduleFlush()
    guard connection.isOpen else { return }
    if let lastInput, session.isInFrame || session.activeAt <= lastInput { probe() }
    if exchangeCount > 0 { return connection.route.sharing.offer(self) }
    if isShared, session.failure == nil, !session.isDraining, !connection.hasPeerEnded {
      let bound = isProbed ? Self.probeTimeout : .max
      loop.connections.recordIdle(connection, options, bound: bound)
      connection.route.sharing.offer(self)
    } else {
      drain()
    }
  }

  /// Takes no new streams until the peer has answered a PING.
  ///
  /// The exchanges of the connection go on. If it becomes idle, it is closed unless the peer answers in time.
  private func probe() {
    guard isShared, !isProbed, held.isEmpty, session.failure == nil, !session.isDraining else { return }
    isProbed = true
    connection.route.sharing.remove(self)
    session.ping()
  }

  /// Takes new streams again, if the peer has answered the PING.
  private func resumeAfterProbe() {
    guard isProbed, !session.awaitsPingAnswer, session.failure == nil, !session.isDraining else { return }
    isProbed = false
    connection.route.sharing.add(self)
    guard connection.isIdle else { return }
    loop.connections.recordUse(of: connection)
    loop.connections.recordIdle(connection, lastOptions)
  }

  /// Takes no new streams, and closes the connection after its last exchange.
  func drain() {
    session.drain()
    connection.route.sharing.remove(self)
    scheduleFlush()
  }

  /// Sends frames at the end of the turn.
  func scheduleFlush() {
    guard !willFlush, connection.isOpen else { return }
    willFlush = true
    loop.scheduleFlush(self)
  }

  /// Receives what an idle connection has, such as its end, before an exchange uses it.
  func receiveBeforeUse() {
    guard !connection.isQuiet else { return }
    connection.mayReceive = true
    receive()
    scheduleFlush()
  }

  func connectionIsReady(_ connection: Connection) {
    turn.begin(loop.turnShare)
    receive()
    scheduleFlush()
  }

  /// Continues in a new turn, after the connection has used its share of an earlier one.
  func resumeAfterYield() {
    turn.resume(loop.turnShare)
    receive()
    scheduleFlush()
  }

  private func yield() {
    if turn.yield() { loop.resumeNextTurn(self) }
  }
}

/// The bytes.
extension HTTP2Connection {
  /// Receives until the socket is empty or the turn is used up.
  private func receive() {
    while connection.isOpen, session.failure == nil {
      if turn.isUsedUp { return yield() }
      if !held.isEmpty {
        let bytes = held
        held = []
        bytes.withUnsafeBytes { process($0) }
        continue
      }
      guard connection.mayReceive else { return }
      let buffer = loop.buffers.incoming
      switch connection.receive(into: buffer, &turn) {
      case .bytes(let count): process(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      case .overhead: continue
      case .wouldBlock: return
      case .end, .failure: session.connectionEnded(loss)
      }
    }
  }

  /// Reads received bytes, up to the end of the turn's share.
  private func process(_ bytes: UnsafeRawBufferPointer) {
    var position = 0
    while position < bytes.count, session.failure == nil {
      if turn.isUsedUp { return held = Array(bytes[position...]) }
      let end = min(bytes.count, position + Self.inputSlice)
      let (frames, fieldBytes) = (session.receivedFrames, session.receivedFieldBytes)
      let count = session.receive(UnsafeRawBufferPointer(rebasing: bytes[position..<end]), at: loop.connections.now)
      turn.count(count)
      turn.countFields(session.receivedFieldBytes - fieldBytes)
      turn.countMessage(session.receivedFrames - frames)
      position += count
    }
  }

  /// Sends the frames that can be sent now, and closes a connection that is of no further use.
  func flush() {
    willFlush = false
    guard connection.isOpen else { return }
    send()
    if session.failure != nil || (session.isDraining && exchangeCount == 0) { return close() }
    if !isShared { return }
    resumeAfterProbe()
    if session.isDraining { connection.route.sharing.remove(self) } else { connection.route.sharing.offer(self) }
    loop.serveWaiting(on: connection.route)
  }

  private func send() {
    while !hasSendFailed {
      if sentCount == output.count, !compose() { break }
      if turn.isUsedUp { return yield() }
      let result = output.withUnsafeBytes { connection.send(UnsafeRawBufferPointer(rebasing: $0[sentCount...])) }
      switch result {
      case .bytes(let count):
        sentCount += count
        turn.count(count)
      case .wouldBlock, .overhead, .end: return
      case .failure: sendFailed()
      }
    }
    turn.begin()
  }

  /// Composes the next frames; returns false if there are none.
  private func compose() -> Bool {
    output.removeAll(keepingCapacity: true)
    sentCount = 0
    // After a failure only the frames that tell the peer of it are sent.
    session.composeOutput(into: &output, limit: Self.outputLimit)
    return !output.isEmpty
  }

  /// Receives after the system has refused to send: responses may have arrived before the connection broke.
  private func sendFailed() {
    hasSendFailed = true
    connection.mayReceive = true
    receive()
    session.connectionEnded(loss)
  }

  /// Why the connection is lost.
  ///
  /// END_STREAM ends a body over HTTP/2, so that no body depends on close_notify.
  private var loss: LupineError {
    if connection.hasEndedWithoutNotice, connection.failure?.kind == .connectionLost { return HTTP2Failure.lost }
    return connection.failure ?? HTTP2Failure.lost
  }

  private func close() {
    let route = connection.route
    route.sharing.remove(self)
    session.fail(HTTP2Failure.lost)
    loop.connections.close(connection)
    loop.serveWaiting(on: route)
  }
}
