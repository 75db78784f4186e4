import Glibc
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
    // The reader stays on this thread, because a `HeadCache` is not `Sendable`.
    var reader = ResponseReader(to: request.method, context.limits, HeadCache())
    let head: HTTPResponse
    do throws(LupineError) {
      try connect()
      stream.begin(request)
      head = try readHead(&reader)
    } catch {
      end(keeping: false)
      return answer(.failure(error.measured(metrics)))
    }
    let (body, writer) = context.makeBody(for: head) { [wakeup] in wakeup.update { $0.hasRoom = true } }
    answer(.success(TransportResponse(head: head, body: body)))
    do throws(LupineError) {
      let trailers = try readBody(&reader, to: writer)
      // A server may answer first and process the rest of the request afterwards.
      if head.status.kind == .successful { try stream.finishSending() }
      end(keeping: reader.keepsConnection && !request.headers.haveConnectionClose)
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

  private mutating func addresses(until deadline: ContinuousClock.Instant?) throws(LupineError) -> [IPAddress] {
    let host = request.url.host
    if let address = IPAddress(host) { return [address] }
    let lookup = try startLookup(of: host)
    defer { lookup?.cancel() }
    while true {
      if let answer = wakeup.read({ $0.answer }) {
        let addresses = try answer.get()
        metrics.nameLookup = elapsed
        context.emit(.nameResolved(host: host, after: elapsed))
        return addresses
      }
      _ = try stream.wait(for: 0, on: nil, until: deadline)
      try check(deadline)
    }
  }

  /// Asks the session's resolver in a task, or the system's on a separate thread, because its call cannot be cancelled.
  private func startLookup(of host: String) throws(LupineError) -> Task<Void, Never>? {
    if let resolver = context.resolver, IPAddress.ofThisMachine(host) == nil {
      let executor = context.executor
      return Task(executorPreference: executor) { [wakeup] in
        let answer: Result<[IPAddress], LupineError>
        do throws(LupineError) {
          answer = .success(try await resolver.addresses(of: host, on: executor))
        } catch {
          answer = .failure(error)
        }
        wakeup.update { $0.answer = answer }
      }
    }
    try startThread { [wakeup] in
      let answer = HostResolver.systemAnswer(for: host).outcome
      wakeup.update { $0.answer = answer }
    }
    return nil
  }
}

extension SocketExchange {
  /// Reads heads up to the final one.
  private mutating func readHead(_ reader: inout ResponseReader) throws(LupineError) -> HTTPResponse {
    while true {
      let (event, _) = try nextEvent(&reader)
      metrics.version = reader.version
      switch event {
      case .interim(let head):
        context.emit(.informational(head))
        if head.status.code == 100 { stream.stopWaitingForContinue(isGranted: true) }
      case .head(let head, _):
        stream.stopWaitingForContinue(isGranted: false)
        return head.response
      case .content, .end: break
      }
    }
  }

  /// Passes the body to the sink, and waits while the sink has no room; returns the trailers.
  ///
  /// Nothing more is read from the socket meanwhile, so that TCP slows the peer down.
  private mutating func readBody(
    _ reader: inout ResponseReader, to writer: ResponseBodyWriter
  ) throws(LupineError) -> HTTPFields? {
    while true {
      try waitForRoom()
      let (event, content) = try nextEvent(&reader)
      if case .end(let trailers) = event { return trailers }
      metrics.bytesReceived += Int64(content.count)
      let flow = try content.withUnsafeBufferPointer { (bytes) throws(LupineError) in
        try writer.write(UnsafeRawBufferPointer(bytes))
      }
      isPaused = flow == .pause
    }
  }

  /// Returns the next event of the response, with its bytes of content; receives more bytes if necessary.
  private mutating func nextEvent(
    _ reader: inout ResponseReader
  ) throws(LupineError) -> (ResponseReader.Event, content: ArraySlice<UInt8>) {
    while true {
      let input = stream.input
      var position = 0
      let event = try input.withUnsafeBufferPointer { (bytes) throws(LupineError) in
        try reader.next(in: UnsafeRawBufferPointer(bytes), from: &position)
      }
      stream.input = input.dropFirst(position)
      if let event {
        guard case .content(let range) = event else { return (event, []) }
        return (event, input.dropFirst(range.lowerBound).prefix(range.count))
      }
      if try !stream.receive(), let end = try reader.connectionEnded() { return (end, []) }
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

extension HTTPFields {
  /// Whether the connection is closed after the message (RFC 9112 section 9.6).
  fileprivate var haveConnectionClose: Bool {
    self[values: .connection].contains { value in
      value.split { ", \t".contains($0) }.contains { $0.lowercased() == "close" }
    }
  }
}
