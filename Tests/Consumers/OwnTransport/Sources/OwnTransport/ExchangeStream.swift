import Glibc
import LupineCore

/// The bytes of one exchange: sends the request while it waits for the response.
struct ExchangeStream {
  static let lost = LupineError(.connectionLost, "The connection ended before the response did.")
  private static let wrongLength = LupineError(.bodyFailed, "The request's body does not have its stated length.")
  /// How long a body waits for 100 Continue, which a server need not send (RFC 9110 section 10.1.1).
  private static let continueTimeout = Duration.seconds(1)

  private let context: TransferContext
  private let wakeup: Wakeup
  var socket: Socket?

  /// The bytes of the request to send next, and how many of them are content.
  private var output: ArraySlice<UInt8> = []
  private var contentCount = 0
  /// The rest of the request's body; `nil` if there is none.
  private var reader: (any BodyReader)?
  /// The length of the rest of the body; `nil` if it is unknown.
  private var bodyRest: Int64?
  private var hasContent = false
  /// The time until which the body waits for 100 Continue.
  private var continueDeadline: ContinuousClock.Instant?
  /// Whether the rest of the request is not sent.
  private var hasStopped = false
  private var hasWriteFailed = false
  private(set) var bytesSent: Int64 = 0
  /// The time when the whole request was sent.
  private(set) var sentAt: ContinuousClock.Instant?

  /// The bytes of the response that have arrived and are not used yet.
  var input: ArraySlice<UInt8> = []
  private(set) var firstByteAt: ContinuousClock.Instant?
  private var buffer = [UInt8](repeating: 0, count: 64 << 10)

  init(_ reader: (any BodyReader)?, _ context: TransferContext, _ wakeup: Wakeup) {
    (self.reader, self.context, self.wakeup) = (reader, context, wakeup)
  }

  /// Makes the head of the request.
  mutating func begin(_ request: OutgoingRequest) {
    var head = Array("\(request.method.rawValue) \(request.url.requestTarget) HTTP/1.1\r\n".utf8)
    func add(_ name: String, _ value: some Collection<UInt8>) { head += Array("\(name): ".utf8) + value + [13, 10] }
    if !request.headers.contains(where: { $0.name.canonicalName == "host" }) {
      add("Host", request.url.authority.utf8)
    }
    for field in request.headers { field.withUnsafeBytesOfValue { add(field.name.rawName, $0) } }
    if let reader {
      bodyRest = reader.length
      hasContent = reader.length != 0
      if !hasContent { closeBody() }
      if let bodyRest { add("Content-Length", "\(bodyRest)".utf8) } else { add("Transfer-Encoding", "chunked".utf8) }
    } else if request.method.statesEmptyLength {
      add("Content-Length", "0".utf8)
    }
    let hasExpectation = request.headers[values: .expect].contains { $0.lowercased() == "100-continue" }
    if hasContent, request.expectsContinue || hasExpectation {
      if !hasExpectation { add("Expect", "100-continue".utf8) }
      continueDeadline = .now + Self.continueTimeout
    }
    output = head + [13, 10]
  }

  /// Sends the body after 100 Continue, or leaves it unsent after a final response instead.
  mutating func stopWaitingForContinue(isGranted: Bool) {
    if continueDeadline != nil, !isGranted { stopSending() }
    continueDeadline = nil
  }

  private mutating func stopSending() {
    hasStopped = true
    closeBody()
    output = []
  }

  private mutating func closeBody() {
    reader?.cancel()
    reader = nil
  }

  /// Ends the exchange; returns the connection if it can carry another one.
  mutating func end() -> Socket? {
    stopSending()
    defer { socket = nil }
    return sentAt != nil && input.isEmpty ? socket : nil
  }
}

/// Sends the request.
extension ExchangeStream {
  /// Sends the next bytes; returns whether more can be sent when the socket has room.
  private mutating func send() throws(LupineError) -> Bool {
    if sentAt != nil || hasStopped { return false }
    if output.isEmpty, try !readPiece() { return false }
    let (count, code) = output.withUnsafeBytes { bytes in
      let count = Glibc.send(socket?.descriptor ?? -1, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
      return (count, errno)
    }
    if count < 0, code == EAGAIN || code == EINTR { return true }
    guard count >= 0 else {
      // The response may have arrived before the connection broke.
      hasWriteFailed = true
      stopSending()
      return false
    }
    output = output.count == count ? [] : output.dropFirst(count)
    if output.isEmpty { finishPiece() }
    return sentAt == nil
  }

  private mutating func finishPiece() {
    bytesSent += Int64(contentCount)
    contentCount = 0
    guard reader == nil else { return }
    sentAt = .now
    // The context's reader emits the event for a body with content.
    if !hasContent { context.emit(.sent(bytes: 0)) }
  }

  /// Reads the next piece of the body into the output; returns false if there is none yet.
  private mutating func readPiece() throws(LupineError) -> Bool {
    if let continueDeadline, ContinuousClock.now < continueDeadline { return false }
    continueDeadline = nil
    guard let reader else { return false }
    let read = try buffer.withUnsafeMutableBufferPointer { (bytes) throws(LupineError) in
      try reader.read(into: UnsafeMutableRawBufferPointer(bytes))
    }
    switch read {
    case .pending: return false
    case .end:
      guard bodyRest == nil else { throw Self.wrongLength }
      closeBody()
      output = ArraySlice("0\r\n\r\n".utf8)
    case .bytes(let count):
      contentCount = count
      guard let rest = bodyRest else {
        output = Array("\(String(count, radix: 16))\r\n".utf8) + buffer[..<count] + [13, 10]
        break
      }
      guard rest >= count else { throw Self.wrongLength }
      bodyRest = rest - Int64(count)
      if bodyRest == 0 { closeBody() }
      output = buffer[..<count]
    }
    return true
  }

  /// Sends the rest of the request, unless the peer sends more or closes the connection.
  mutating func finishSending() throws(LupineError) {
    while true {
      let more = try send()
      if sentAt != nil || hasStopped { return }
      if try waitForInput(more) { return }
    }
  }

  /// Sends what can be sent, then waits for room in the socket or for an update.
  mutating func sendWhilePaused() throws(LupineError) {
    let more = try send()
    _ = try wait(for: more ? POLLOUT : 0, on: socket, until: continueDeadline)
  }
}

/// Receives the response.
extension ExchangeStream {
  /// Waits for events of a socket, for an update, or until the deadline; throws if the exchange is ended.
  func wait(
    for events: Int32, on socket: Socket?, until deadline: ContinuousClock.Instant?
  ) throws(LupineError) -> Int32 {
    let events = wakeup.wait(for: events, on: socket, until: deadline)
    if let ending = wakeup.read({ $0.ending }) { throw ending }
    return events
  }

  /// Waits for the socket or for an update; returns whether there is something to receive.
  private func waitForInput(_ alsoForOutput: Bool) throws(LupineError) -> Bool {
    try wait(for: alsoForOutput ? POLLIN | POLLOUT : POLLIN, on: socket, until: continueDeadline) & ~POLLOUT != 0
  }

  /// Waits for bytes, and sends the request meanwhile; returns false at the end of the connection.
  mutating func receive() throws(LupineError) -> Bool {
    while true {
      let more = try send()
      guard try waitForInput(more) else { continue }
      let (count, code) = buffer.withUnsafeMutableBytes { bytes in
        let count = recv(socket?.descriptor ?? -1, bytes.baseAddress, bytes.count, 0)
        return (count, errno)
      }
      if count > 0 {
        firstByteAt = firstByteAt ?? .now
        input = ArraySlice(input + buffer[..<count])
        return true
      }
      if count < 0, code == EAGAIN || code == EINTR { continue }
      // After a failed write, the system may report a reset as an orderly end.
      guard count == 0, !hasWriteFailed else { throw Self.lost }
      return false
    }
  }
}
