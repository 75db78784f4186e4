import Dispatch
import Glibc
import HTTPTypes
import LupineCore
import LupineFraming
import LupineTesting
import Synchronization

/// One exchange of a `PlainTransport`.
final class PlainExchange: Sendable {
  typealias Answer = Result<TransportResponse, LupineError>

  private struct State {
    var ending: LupineError?
    var connection: PlainConnection?
    /// The rest of the request's body; `nil` once it is sent or cancelled.
    var reader: (any BodyReader)?
    var isUploading = false
    /// Whether the defect stops the upload after the final head.
    var isHeldBack = false
    var sent: Int64 = 0
  }

  private static let lost = LupineError(.connectionLost, "The connection ended before the response.")

  private let request: OutgoingRequest
  private let context: TransferContext
  private let transport: PlainTransport
  private let state = Mutex(State())
  /// Signalled when the sink has room, when the body has bytes, and when the thread of the body ends.
  private let (room, ready, uploaded) = (
    DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
  )

  init(_ request: OutgoingRequest, _ context: TransferContext, _ transport: PlainTransport) {
    (self.request, self.context, self.transport) = (request, context, transport)
  }

  private var defect: PlainTransport.Defect? { transport.defect }
  /// Whether the defect sends a body that the server has refused.
  private var sendsUnasked: Bool {
    defect == .sendsRefusedBody || defect == .interimReleasesBody || defect == .ignoresExpectField
  }

  /// Opens the request's body, before the exchange runs.
  func open() async throws(LupineError) {
    guard request.hasBody else { return }
    let reader = try await context.makeReader(for: request.body) { [ready] in ready.signal() }
    state.withLock { $0.reader = reader }
  }

  /// Ends the exchange early; later calls do not replace the reason.
  func end(_ reason: LupineError) {
    let connection = state.withLock { state in
      state.ending = state.ending ?? reason
      return state.connection
    }
    connection?.client.abort()
    room.signal()
    ready.signal()
  }

  func run(_ answer: (Answer) -> Void) {
    var metrics = TransferMetrics()
    metrics.version = .http1_1
    (metrics.connect, metrics.firstByte, metrics.total) = (.nanoseconds(1), .nanoseconds(3), .nanoseconds(4))
    if defect != .omitsRequestSent { metrics.requestSent = .nanoseconds(2) }
    var writer: ResponseBodyWriter?
    do {
      let connection = try connect(&metrics)
      let isWaiting = try begin(on: connection)
      let head = try readHead(connection, isWaiting)
      let framing = try ResponseFraming(of: head, to: request.method)
      let (body, bodyWriter) = context.makeBody(for: head) { [room] in room.signal() }
      writer = bodyWriter
      state.withLock { $0.isHeldBack = defect == .holdsUploadBack || defect == .keepsAfterEarlyAnswer }
      answer(.success(TransportResponse(head: head, body: body)))
      try readBody(framing, connection, bodyWriter)
      let isSent = finishUpload(after: head)
      let closes =
        sendsUnasked || (head.headerFields.endConnection && defect != .ignoresResponseClose)
        || (request.headers.endConnection && defect != .ignoresRequestClose) || framing == .untilClose
      if isSent, !closes, connection.input.isEmpty || defect == .keepsSurplus {
        transport.keep(connection)
      } else {
        connection.client.abort()
      }
      metrics.bytesSent = state.withLock { $0.sent }
      bodyWriter.finish(metrics: metrics)
    } catch {
      state.withLock { $0.connection }?.client.abort()
      stopUpload()
      let failure = state.withLock { $0.ending } ?? error as? LupineError ?? Self.lost
      if let writer { writer.fail(failure, metrics: metrics) } else { answer(.failure(failure.measured(metrics))) }
    }
  }

  private func connect(_ metrics: inout TransferMetrics) throws -> PlainConnection {
    if defect != .omitsNameResolved, IPAddress(request.url.host) == nil {
      metrics.nameLookup = .zero
      context.emit(.nameResolved(host: request.url.host, after: .zero))
    }
    let used = transport.takeConnection()
    let connection = try used ?? PlainConnection(port: request.url.effectivePort)
    context.emit(.connected(address: "", isReused: used != nil))
    let ending = state.withLock { state in
      state.connection = connection
      return state.ending
    }
    if let ending { throw ending }
    return connection
  }

  /// Sends the head and starts the upload of the body; returns whether the body waits for 100 Continue.
  private func begin(on connection: PlainConnection) throws -> Bool {
    var head = "\(request.method.rawValue) \(request.url.requestTarget) HTTP/1.1\r\n"
    let hasHost = request.headers.contains { $0.name.canonicalName == "host" }
    if !hasHost || defect == .repeatsHost { head += "Host: \(request.url.authority)\r\n" }
    for field in request.headers { head += "\(field.name.rawName): \(field.value)\r\n" }
    let reader = state.withLock { $0.reader }
    let length = reader.map(\.length) ?? 0
    head += length.map { "Content-Length: \($0)\r\n" } ?? "Transfer-Encoding: chunked\r\n"
    let hasField = request.headers[.expect] != nil && defect != .ignoresExpectField
    let isWaiting = length != 0 && (request.expectsContinue || hasField)
    if isWaiting, request.headers[.expect] == nil { head += "Expect: 100-continue\r\n" }
    try connection.client.send(head + "\r\n")
    if length == 0 {
      state.withLock { $0.reader.take() }?.cancel()
      if defect != .omitsSent { context.emit(.sent(bytes: 0)) }
    } else if !isWaiting {
      startUpload(on: connection)
    }
    return isWaiting
  }

  /// Reads heads up to the final one.
  private func readHead(_ connection: PlainConnection, _ isWaiting: Bool) throws -> HTTPResponse {
    var isWaiting = isWaiting
    while true {
      if let head = connection.takeHead() {
        guard head.status.code < 200 else {
          if isWaiting, defect == .sendsRefusedBody { startUpload(on: connection) }
          return head
        }
        context.emit(.informational(head))
        if isWaiting, head.status.code == 100 || defect == .interimReleasesBody {
          isWaiting = false
          startUpload(on: connection)
        }
        continue
      }
      let isTimed = isWaiting && defect != .waitsForContinue
      if isWaiting, !isTimed { transport.stuck.open() }
      connection.client.limitWaits(milliseconds: isTimed ? 200 : 20_000)
      do {
        guard try connection.receive() else { throw Self.lost }
      } catch let failure as RawClient.Failure where isTimed && failure == .system(EAGAIN) {
        isWaiting = false
        startUpload(on: connection)
      }
    }
  }
}

extension PlainExchange {
  private func startUpload(on connection: PlainConnection) {
    state.withLock { $0.isUploading = true }
    transport.startThread { [self] in
      upload(on: connection)
      uploaded.signal()
    }
  }

  private func upload(on connection: PlainConnection) {
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    do {
      while let reader = state.withLock({ $0.ending == nil ? $0.reader : nil }) {
        if state.withLock({ $0.isHeldBack }) {
          if defect == .holdsUploadBack { transport.stuck.open() }
          ready.wait()
          continue
        }
        switch try buffer.withUnsafeMutableBytes({ try reader.read(into: $0) }) {
        case .bytes(let count):
          let frame = reader.length == nil ? ("\(String(count, radix: 16))\r\n", "\r\n") : ("", "")
          try connection.client.send(bytes: Array(frame.0.utf8) + buffer[..<count] + Array(frame.1.utf8))
          let sent = state.withLock { state in
            state.sent += Int64(count)
            return state.sent
          }
          if sent == reader.length { return uploadHasEnded(sent) }
        case .pending: ready.wait()
        case .end:
          try connection.client.send("0\r\n\r\n")
          return uploadHasEnded(state.withLock { $0.sent })
        }
      }
    } catch {
      connection.client.abort()
    }
  }

  private func uploadHasEnded(_ sent: Int64) {
    if defect == .reportsSentTwice { context.emit(.sent(bytes: sent)) }
    state.withLock { $0.reader = nil }
  }

  /// Waits for the end of the upload after a successful response, and stops it otherwise.
  ///
  /// It returns whether nothing of the body remains to be sent; the defect `keepsAfterEarlyAnswer` ignores the rest.
  private func finishUpload(after head: HTTPResponse) -> Bool {
    let isUploading = state.withLock { $0.isUploading }
    var waits = head.status.kind == .successful && defect != .keepsAfterEarlyAnswer
    if defect == .waitsAfterRefusal, !waits, isUploading {
      waits = true
      transport.stuck.open()
    }
    if waits || sendsUnasked, isUploading {
      uploaded.wait()
      state.withLock { $0.isUploading = false }
    }
    return stopUpload()
  }

  /// Cancels the rest of the body; returns true if there was none, or if the defect `keepsAfterEarlyAnswer` ignores it.
  @discardableResult
  private func stopUpload() -> Bool {
    let (reader, isUploading) = state.withLock { state in
      defer { (state.reader, state.isUploading) = (nil, false) }
      return (state.reader, state.isUploading)
    }
    if let reader {
      if defect == .neverCancelsBody { transport.retain(reader) } else { reader.cancel() }
      if defect != .keepsAfterEarlyAnswer { state.withLock { $0.connection }?.client.abort() }
      ready.signal()
    }
    if isUploading { uploaded.wait() }
    return reader == nil || defect == .keepsAfterEarlyAnswer
  }

  private func readBody(
    _ framing: ResponseFraming, _ connection: PlainConnection, _ writer: ResponseBodyWriter
  ) throws {
    var chunks = ChunkReader(context.limits)
    var rest: Int64 = if case .length(let length) = framing { length } else { .max }
    while framing != .none, rest > 0, !chunks.isFinished {
      if connection.input.isEmpty, try !receive(connection, framing) {
        guard framing == .untilClose else { throw Self.lost }
        return
      }
      let input = connection.input
      var position = framing == .chunked ? 0 : Int(min(rest, Int64(input.count)))
      var isPaused = false
      try input.withUnsafeBytes { bytes in
        guard framing == .chunked else {
          isPaused = try writer.write(UnsafeRawBufferPointer(rebasing: bytes[..<position])) == .pause
          return
        }
        while let element = try chunks.next(in: bytes, from: &position) {
          guard case .content(let range) = element else { continue }
          isPaused = try writer.write(UnsafeRawBufferPointer(rebasing: bytes[range])) == .pause
        }
      }
      rest -= Int64(position)
      connection.input = Array(input[position...])
      if isPaused { try waitForRoom() }
      // Also if the consumer has not held the body back: it may be quicker than this thread.
      if defect == .failsHeldBackBody { throw Self.lost }
    }
  }

  private func receive(_ connection: PlainConnection, _ framing: ResponseFraming) throws -> Bool {
    do {
      return try connection.receive()
    } catch RawClient.Failure.reset where defect == .resetEndsBody && framing == .untilClose {
      return false
    }
  }

  private func waitForRoom() throws {
    room.wait()
    if let ending = state.withLock({ $0.ending }) { throw ending }
  }
}

extension HTTPFields {
  /// Whether the connection ends after the message.
  fileprivate var endConnection: Bool { self[.connection]?.lowercased().contains("close") == true }
}
