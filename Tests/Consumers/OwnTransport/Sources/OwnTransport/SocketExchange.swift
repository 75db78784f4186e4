import Glibc
import HTTPTypes
import LupineCore
import LupineFraming

/// One exchange, from the connection to the end of the response's body; it runs on a thread of its own.
///
/// It applies the limits, emits the events, measures the times, and passes the body to its writer. `ExchangeStream`
/// sends and receives the bytes.
struct SocketExchange {
  private let request: OutgoingRequest
  private let context: TransferContext
  private let wakeup: Wakeup
  private let transport: SocketTransport
  private let route: SocketTransport.Route
  private let begun = ContinuousClock.now
  private var metrics = TransferMetrics()
  private var stream: ExchangeStream
  /// Whether the sink of the body has no room.
  private var isPaused = false

  /// - Parameter reader: the reader of the request's body; `nil` if the request has none.
  init(
    _ request: OutgoingRequest, _ reader: (any BodyReader)?, _ context: TransferContext, _ wakeup: Wakeup,
    _ transport: SocketTransport
  ) {
    (self.request, self.context, self.wakeup, self.transport) = (request, context, wakeup, transport)
    route = SocketTransport.Route(origin: request.url.origin, connectionKey: context.connectionKey)
    stream = ExchangeStream(reader, context, wakeup)
  }

  private var elapsed: Duration { begun.duration(to: .now) }

  /// Makes the exchange; calls `answer` once, at the final head or at an error before the head.
  mutating func run(_ answer: (SocketTransport.Answer) -> Void) {
    let head: ResponseHead
    let framing: ResponseFraming
    do throws(LupineError) {
      try connect()
      stream.begin(request)
      head = try readHead()
      framing = try ResponseFraming(of: head.response, to: request.method, in: head.version)
    } catch {
      end(keeping: false)
      return answer(.failure(error.measured(metrics)))
    }
    let (body, writer) = context.makeBody(for: head.response) { [wakeup] in wakeup.update { $0.hasRoom = true } }
    answer(.success(TransportResponse(head: head.response, body: body)))
    do throws(LupineError) {
      let trailers = try readBody(framing, to: writer)
      // A server may answer first and process the rest of the request afterwards.
      if head.status.kind == .successful { try stream.finishSending() }
      end(keeping: head.isPersistent && framing != .untilClose && !request.headers.haveConnectionClose)
      writer.finish(trailers: trailers, metrics: metrics)
    } catch {
      end(keeping: false)
      writer.fail(error, metrics: metrics)
    }
  }

  /// Completes the metrics, and keeps or closes the connection.
  ///
  /// It runs before the end of the body is reported, so that the consumer's next request can use the connection.
  private mutating func end(keeping isReusable: Bool) {
    if let socket = stream.end(), isReusable { transport.keep(socket, route) }
    metrics.total = elapsed
    metrics.bytesSent = stream.bytesSent
    metrics.requestSent = stream.sentAt.map { begun.duration(to: $0) }
    metrics.firstByte = stream.firstByteAt.map { begun.duration(to: $0) }
  }
}

extension SocketExchange {
  private mutating func connect() throws(LupineError) {
    if let socket = transport.takeConnection(route) {
      stream.socket = socket
      metrics.isConnectionReused = true
    } else {
      let deadline = context.connectTimeout.map { begun + $0 }
      let addresses = try addresses(until: deadline)
      stream.socket = try connect(to: addresses, until: deadline)
      metrics.connect = elapsed
    }
    metrics.remoteAddress = stream.socket?.name
    context.emit(.connected(address: stream.socket?.name ?? "", isReused: metrics.isConnectionReused))
  }

  /// Connects to the first address that can be reached.
  private func connect(
    to addresses: [IPAddress], until deadline: ContinuousClock.Instant?
  ) throws(LupineError) -> Socket {
    var failure = LupineError(.hostNotFound, "The host \(request.url.host) has no address.")
    for address in addresses {
      do throws(LupineError) {
        let socket = try Socket(address, port: request.url.effectivePort)
        while try stream.wait(for: POLLOUT, on: socket, until: deadline) == 0 { try check(deadline) }
        try socket.checkConnected()
        return socket
      } catch {
        failure = error
      }
    }
    throw failure
  }

  private func check(_ deadline: ContinuousClock.Instant?) throws(LupineError) {
    guard let deadline, ContinuousClock.now >= deadline else { return }
    throw LupineError(.timedOut(.connect), "The connection to \(request.url.host) was not made in time.")
  }

  /// Looks up the host's name on a separate thread, because a call of the system's resolver cannot be cancelled.
  private mutating func addresses(until deadline: ContinuousClock.Instant?) throws(LupineError) -> [IPAddress] {
    let host = request.url.host
    if let address = IPAddress(host) { return [address] }
    try startThread { [wakeup] in
      let answer = HostResolver.system.resolve(host)
      wakeup.update { $0.answer = answer }
    }
    while true {
      switch wakeup.read({ $0.answer }) {
      case .addresses(let addresses):
        metrics.nameLookup = elapsed
        context.emit(.nameResolved(host: host, after: elapsed))
        return addresses
      case .failure(let reason): throw LupineError(.hostNotFound, "The host \(host) has no address: \(reason).")
      case nil:
        _ = try stream.wait(for: 0, on: nil, until: deadline)
        try check(deadline)
      }
    }
  }
}

extension SocketExchange {
  /// Reads heads up to the final one.
  private mutating func readHead() throws(LupineError) -> ResponseHead {
    var informationalCount = 0
    while true {
      var head = try ResponseHead(statusLine: stream.readLine(context.limits.responseFields, .responseFields))
      metrics.version = head.version
      head.fields = try readFields(context.limits.responseFields, .responseFields)
      guard head.isInformational else {
        stream.stopWaitingForContinue(isGranted: false)
        return head
      }
      guard head.status.code != 101 else { throw .malformed("it switches to a protocol that was not asked for") }
      informationalCount += 1
      guard informationalCount <= context.limits.informationalResponses else {
        throw .exceeded(.informationalResponses)
      }
      context.emit(.informational(head.response))
      if head.status.code == 100 { stream.stopWaitingForContinue(isGranted: true) }
    }
  }

  /// Reads the fields of a head, or the trailers.
  private mutating func readFields(_ limit: Int, _ name: Limits.Name) throws(LupineError) -> HTTPFields {
    var fields = HTTPFields()
    var room = limit
    while true {
      let line = try stream.readLine(max(0, room), name)
      if line.isEmpty { return fields }
      room -= line.count + 2
      fields.append(try parseField(line))
      guard fields.count <= context.limits.responseFieldCount else { throw .exceeded(.responseFieldCount) }
    }
  }

  /// Reads the body; returns its trailers.
  private mutating func readBody(
    _ framing: ResponseFraming, to writer: ResponseBodyWriter
  ) throws(LupineError) -> HTTPFields? {
    switch framing {
    case .none: break
    case .length(let count): try pass(count, to: writer)
    case .untilClose: while try stream.hasInput() { try pass(Int64(stream.input.count), to: writer) }
    case .chunked: return try passChunks(to: writer)
    }
    return nil
  }

  /// Passes the content of chunks to the sink; returns the trailers.
  private mutating func passChunks(to writer: ResponseBodyWriter) throws(LupineError) -> HTTPFields? {
    var reader = ChunkReader(context.limits)
    var trailers = HTTPFields()
    while !reader.isFinished {
      try waitForRoom()
      guard try stream.hasInput() else { throw ExchangeStream.lost }
      var position = 0
      let input = stream.input
      try input.withUnsafeBufferPointer { (bytes) throws(LupineError) in
        let piece = UnsafeRawBufferPointer(bytes)
        // If the sink has no room, the remaining bytes stay in `input`. Until they are used, nothing more is read from
        // the socket, so that TCP slows the peer down.
        while !isPaused, let element = try reader.next(in: piece, from: &position) {
          switch element {
          case .content(let range):
            metrics.bytesReceived += Int64(range.count)
            isPaused = try writer.append(UnsafeRawBufferPointer(rebasing: piece[range])) == .pause
          case .trailer(let line): trailers.append(try parseField(line.dropLast(2)))
          case .end: break
          }
        }
      }
      writer.deliver()
      stream.input = input.dropFirst(position)
    }
    guard trailers.count <= context.limits.responseFieldCount else { throw .exceeded(.responseFieldCount) }
    return trailers.isEmpty ? nil : trailers
  }

  /// Passes `count` bytes of content to the sink, and waits while the sink has no room.
  private mutating func pass(_ count: Int64, to writer: ResponseBodyWriter) throws(LupineError) {
    var rest = count
    while rest > 0 {
      try waitForRoom()
      guard try stream.hasInput() else { throw ExchangeStream.lost }
      let piece = stream.input.prefix(Int(min(rest, Int64(stream.input.count))))
      metrics.bytesReceived += Int64(piece.count)
      let flow = try piece.withUnsafeBufferPointer { (bytes) throws(LupineError) in
        try writer.write(UnsafeRawBufferPointer(bytes))
      }
      isPaused = flow == .pause
      rest -= Int64(piece.count)
      stream.input = stream.input.dropFirst(piece.count)
    }
  }

  private mutating func waitForRoom() throws(LupineError) {
    while isPaused {
      let hasRoom = wakeup.read { news in
        defer { news.hasRoom = false }
        return news.hasRoom
      }
      if hasRoom { isPaused = false } else { try stream.sendWhilePaused() }
    }
  }
}
