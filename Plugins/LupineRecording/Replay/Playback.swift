import HTTPTypes
import LupineCore
import LupineDoubles
import LupineFoundation
import LupineSupport

/// Plays one recorded exchange.
struct Playback: Sendable {
  let player: CassettePlayer
  let entry: Cassette.Entry
  let request: OutgoingRequest
  let context: TransferContext
  let exchange: VirtualExchange
  let upload: PlayedUpload?
  /// Begins with the exchange.
  let clock: SessionClock

  init(
    player: CassettePlayer, entry: Cassette.Entry, request: OutgoingRequest, context: TransferContext,
    exchange: VirtualExchange, upload: PlayedUpload?
  ) {
    self.player = player
    self.entry = entry
    self.request = request
    self.context = context
    self.exchange = exchange
    self.upload = upload
    clock = SessionClock(context.clock)
  }

  /// - Parameter whenDone: called at the end of the response's body, if this method returns.
  func run(whenDone: @escaping @Sendable () -> Void) async throws(LupineError) -> TransportResponse {
    do throws(LupineError) {
      let opening = try await exchange.run(on: context.executor) { () throws(LupineError) in try await open() }
      return begin(opening, whenDone: whenDone)
    } catch {
      upload?.cancel()
      throw error.measured(metrics(received: 0))
    }
  }

  /// Whether the exchange uses a connection of an earlier one, as it did when it was recorded.
  private var isReused: Bool { entry.isConnectionReused && !context.needsNewConnection }

  /// A response whose head has arrived.
  private struct Opening: Sendable {
    let head: HTTPResponse
    let source: TransportResponse.Source
    let body: PlayedBody
  }

  /// Performs the steps before the final head.
  private func open() async throws(LupineError) -> Opening {
    if case .failed(let failure) = entry.end, failure.isBeforeConnection {
      upload?.restore()
      try await wait(until: entry.duration)
      throw failure.error
    }
    let server = player.server(of: request.url, entry)
    try server.checkAddress(for: request.url, in: context)
    try server.checkTrust(for: request.url, in: context)
    let address = server.origin.address ?? "\(request.url.host):\(request.url.effectivePort)"
    context.emit(.connected(address: address, isReused: isReused))
    if !isReused, request.url.scheme == .https, let tls = server.tlsDetails { context.emit(.secured(tls)) }
    let rest = try await send()
    for interim in rest { try await report(interim) }
    guard let response = entry.response else {
      try await wait(until: entry.duration)
      throw try await failure()
    }
    let body = try await player.body(of: response, of: entry, codings: context.contentCodings)
    try await wait(until: response.after)
    let lengths = [body.head, response.head].map { $0.headerFields[.contentLength] }
    // The field is written as the server wrote it, unless its value is another one.
    let head = lengths[0] == lengths[1] ? response.head : body.head
    return Opening(head: moved(head), source: response.source, body: body)
  }

  /// Sends the request's body; returns the interim responses that have not been reported.
  private func send() async throws(LupineError) -> ArraySlice<Cassette.Interim> {
    guard let upload else {
      context.emit(.sent(bytes: 0))
      return entry.interim[...]
    }
    guard upload.waitsForContinue else {
      try await send(upload)
      return entry.interim[...]
    }
    let continued = entry.interim.prefix { $0.head.status == .continue }
    for interim in continued { try await report(interim) }
    // Without 100 Continue and without recorded bytes the server has refused the body.
    if !continued.isEmpty || entry.request.body != .none {
      try await send(upload)
    }
    return entry.interim[continued.endIndex...]
  }

  /// Sends the body as far as it was sent when it was recorded.
  private func send(_ upload: PlayedUpload) async throws(LupineError) {
    let length = entry.request.body.length
    guard entry.request.isCut else {
      upload.send()
      return try await upload.readAll()
    }
    if case .stalled = entry.end {
      // The client gave up: perhaps because its body failed, which is seen only if it is read.
      upload.send()
      return try await upload.readAll()
    }
    guard length > 0, !upload.isComplete else { return }
    upload.send()
    try await upload.read(upTo: length)
  }

  private func report(_ interim: Cassette.Interim) async throws(LupineError) {
    try await wait(until: interim.after)
    context.emit(.informational(interim.head))
  }

  /// Returns the head with its dates moved, unless the session's date began with the recording.
  private func moved(_ head: HTTPResponse) -> HTTPResponse {
    guard player.options.dates == .moved, !player.clocks.contains(context.clock) else { return head }
    var head = head
    let recorded = player.server(of: request.url, entry).date
    head.headerFields = DateShift(from: recorded, to: context.now()).fields(head.headerFields)
    return head
  }

  /// Waits for a recorded time, at the pace of the options.
  private func wait(until time: Duration) async throws(LupineError) {
    let time = player.options.pace == 1 ? time : time * player.options.pace
    if time > clock.now() {
      do { try await clock.sleep(until: time) } catch { throw VirtualExchange.cancelled }
    }
    if Task.isCancelled { throw VirtualExchange.cancelled }
    context.touch()
  }

  /// Returns the recorded error; waits for the client to end a stalled exchange.
  private func failure() async throws(LupineError) -> LupineError {
    if case .failed(let failure) = entry.end { return failure.error }
    do { try await context.clock.sleep(for: VirtualExchange.longestWait) } catch { throw VirtualExchange.cancelled }
    return LupineError(
      .connectionLost,
      "The client ended the recorded exchange here, and nothing has ended this one within a year.")
  }

  private func metrics(received: Int64) -> TransferMetrics {
    var metrics = TransferMetrics()
    metrics.total = clock.now()
    metrics.firstByte = entry.response.map { min($0.after, metrics.total) }
    metrics.bytesSent = upload?.count ?? 0
    metrics.bytesReceived = received
    metrics.version = entry.response?.version
    metrics.isConnectionReused = isReused
    if request.url.scheme == .https { metrics.tls = player.server(of: request.url, entry).tlsDetails }
    metrics.remoteAddress = player.header.origins[request.url.origin.description]?.address
    return metrics
  }
}

// The body

extension Playback {
  private func begin(_ opening: Opening, whenDone: @escaping @Sendable () -> Void) -> TransportResponse {
    let resumed = Signal()
    let (body, writer) = context.makeBody(for: opening.head, from: opening.source) { resumed.set() }
    _ = exchange.start(on: context.executor) {
      await deliver(opening.body, to: writer, resumed)
      upload?.cancel()
      exchange.detach()
      whenDone()
    }
    return TransportResponse(head: opening.head, body: body, source: opening.source)
  }

  private func deliver(_ body: PlayedBody, to writer: ResponseBodyWriter, _ resumed: Signal) async {
    var body = body
    var received: Int64 = 0
    do throws(LupineError) {
      while let piece = try await body.next() {
        try await wait(until: piece.after)
        received += Int64(piece.bytes.count)
        guard try writer.write(piece.bytes) == .pause else { continue }
        await resumed.wait()
        resumed.clear()
        if Task.isCancelled { throw VirtualExchange.cancelled }
      }
      try await wait(until: entry.duration)
      guard case .complete(let trailers) = entry.end else { throw try await failure() }
      writer.finish(trailers: trailers, metrics: metrics(received: received))
    } catch {
      writer.fail(exchange.reason ?? error, metrics: metrics(received: received))
    }
  }
}

extension ResponseBodyWriter {
  fileprivate func write(_ bytes: [UInt8]) throws(LupineError) -> Flow {
    let flow = bytes.withUnsafeBytes { bytes in Result { () throws(LupineError) in try write(bytes) } }
    return try flow.get()
  }
}
