import CNghttp2
import HTTPTypes
import LupineCore
import LupineFraming

/// Reads and composes the frames of one client connection (RFC 9113).
///
/// The session is a state machine over bytes: it has no socket and no clock. libnghttp2 handles frames, flow control and
/// compressed fields; the session reads the heads with the same reader as HTTP/1.1, and limits what a peer can make it
/// do. After a failure, `failure` is set, and every stream has been closed with it.
final class HTTP2Session {
  /// The window of each stream in bytes: the most that is stored for a consumer that takes nothing.
  static let streamWindow: Int32 = 1 << 20
  /// The window of the connection in bytes.
  ///
  /// Received bytes return to it at once, so that a stream whose consumer takes nothing holds up no other stream.
  static let connectionWindow: Int32 = 16 << 20
  /// The number of streams before the peer has sent SETTINGS: it would refuse further ones if it permits fewer.
  private static let initialCapacity = 1
  /// After this many bytes of fields, `receive` returns before the next HEADERS frame.
  ///
  /// A byte can stand for a field of 4 KB (RFC 7541 section 4.2), so that a few frames can have megabytes of fields.
  private static let fieldBytesAtOnce = 64 << 10

  /// The number of bytes of frames that are composed when the connection has ended.
  private static let outputAtEnd = 64 << 10

  /// Why the connection must be closed; `nil` while it is usable.
  private(set) var failure: LupineError?
  /// Whether the peer has sent GOAWAY, or the session takes no new streams for another reason.
  private(set) var isDraining = false
  /// The number of received frames.
  private(set) var receivedFrames = 0
  /// When the last frame began that shows that the peer lives: one of a stream, or PING; 0 before that.
  private(set) var activeAt: UInt64 = 0
  /// The number of received bytes of fields: the compressed bytes, and the names and values that they decode to.
  var receivedFieldBytes = 0
  var streams: [Int32: HTTP2Stream] = [:]
  var meter = FloodMeter()
  private var scanner = FrameScanner()
  /// The line of the head that is read.
  ///
  /// Without dynamic checks of exclusive access, like the reader of a stream: no user is called during a change.
  @exclusivity(unchecked) var line: [UInt8] = []
  let heads: HeadCache
  private var session: OpaquePointer?
  private(set) var hasSettings = false
  /// Whether the peer has not answered the last PING frame.
  private(set) var awaitsPingAnswer = false
  /// Whether the connection has ended, so that no more content is sent.
  private(set) var isEnding = false
  /// Why nghttp2 has refused a frame of the connection.
  private var violation: String?
  /// The stream that was looked up last.
  private var lastStream: HTTP2Stream?

  /// - Parameter heads: the heads and lines of earlier responses.
  /// - Throws: `LupineError` of kind `other` without memory.
  init(_ heads: HeadCache) throws(LupineError) {
    self.heads = heads
    session = try HTTP2Callbacks.makeSession(for: Unmanaged.passUnretained(self).toOpaque())
    try submitSettings()
  }

  deinit { nghttp2_session_del(session) }

  private func submitSettings() throws(LupineError) {
    let settings = [
      nghttp2_settings_entry(settings_id: Int32(NGHTTP2_SETTINGS_ENABLE_PUSH.rawValue), value: 0),
      nghttp2_settings_entry(
        settings_id: Int32(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE.rawValue), value: UInt32(Self.streamWindow)),
      nghttp2_settings_entry(settings_id: Int32(NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES.rawValue), value: 1),
    ]
    guard nghttp2_submit_settings(session, 0, settings, settings.count) == 0,
      nghttp2_session_set_local_window_size(session, 0, 0, Self.connectionWindow) == 0
    else { throw LupineError(.other, "nghttp2 has no memory for a connection.") }
  }

  /// The number of streams that may be begun now.
  var freeStreams: Int {
    guard failure == nil, !isDraining, nghttp2_session_check_request_allowed(session) != 0 else { return 0 }
    let limit = nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
    return max(0, (hasSettings ? Int(limit) : Self.initialCapacity) - streams.count)
  }

  /// Reads received bytes, up to a head that is left to another call.
  ///
  /// - Parameter now: the time in nanoseconds.
  /// - Returns: the number of bytes that were read.
  func receive(_ bytes: UnsafeRawBufferPointer, at now: UInt64) -> Int {
    guard failure == nil else { return bytes.count }
    meter.advance(to: now)
    let fieldBytes = receivedFieldBytes
    var (start, position) = (0, 0)
    while failure == nil, let header = scanner.next(in: bytes, from: &position) {
      if header.type == NGHTTP2_HEADERS.rawValue, header.bytes == nil {
        let head = position - FrameScanner.size
        read(UnsafeRawBufferPointer(rebasing: bytes[start..<head]))
        start = head
        if receivedFieldBytes - fieldBytes >= Self.fieldBytesAtOnce {
          scanner = FrameScanner()
          if meter.isUsedUp { fail(HTTP2Failure.flooded) }
          return head
        }
      }
      countFrame(header, at: now)
      if let whole = header.bytes {
        whole.withUnsafeBytes { read($0) }
        start = position
      }
      if header.type == NGHTTP2_PUSH_PROMISE.rawValue {
        read(UnsafeRawBufferPointer(rebasing: bytes[start..<position]))
        // The peer has read the SETTINGS that forbid pushes, because they precede the first request.
        fail(HTTP2Failure.violation("PUSH_PROMISE"))
      }
    }
    let end = max(start, bytes.count - scanner.partial.count)
    read(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
    if meter.isUsedUp { fail(HTTP2Failure.flooded) }
    return bytes.count
  }

  private func read(_ bytes: UnsafeRawBufferPointer) {
    guard failure == nil, !bytes.isEmpty else { return }
    let count = nghttp2_session_mem_recv(session, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
    if failure != nil { return }
    if count == Int(NGHTTP2_ERR_FLOODED.rawValue) { return fail(HTTP2Failure.flooded) }
    if count < 0 { fail(HTTP2Failure.violation(HTTP2Failure.text(of: Int32(count)))) }
  }

  /// Appends frames to `output` until it has about `limit` bytes or there are none.
  func composeOutput(into output: inout [UInt8], limit: Int) {
    while output.count < limit {
      var pointer: UnsafePointer<UInt8>?
      let count = nghttp2_session_mem_send(session, &pointer)
      guard count >= 0 else { return fail(HTTP2Failure.violation(HTTP2Failure.text(of: Int32(count)))) }
      guard count > 0, let pointer else { return }
      output.append(contentsOf: UnsafeBufferPointer(start: pointer, count: count))
    }
  }

  /// Whether a part of a frame has arrived, and the rest has not.
  var isInFrame: Bool { scanner.isInFrame }

  /// Takes no new streams.
  func drain() { isDraining = true }

  /// Ends the session: each stream is closed, with the error if its response is not complete.
  func fail(_ error: LupineError) {
    guard failure == nil else { return }
    failure = error
    let open = streams.values
    streams = [:]
    lastStream = nil
    for stream in open {
      let user = stream.user.take()
      let own = stream.violation.map(HTTP2Failure.streamViolation)
      user?.streamClosed(stream.part == .ended ? nil : own ?? error)
    }
  }

  /// Ends the session because its connection has ended.
  ///
  /// nghttp2 first closes the streams that it is about to reset, each with its own reason: a peer that violates a rule
  /// of a stream may close the connection at once.
  func connectionEnded(_ error: LupineError) {
    isEnding = true
    var output: [UInt8] = []
    if failure == nil { composeOutput(into: &output, limit: Self.outputAtEnd) }
    fail(error)
  }

  /// Sends a PING frame, which a live peer answers.
  func ping() { awaitsPingAnswer = nghttp2_submit_ping(session, 0, nil) == 0 }
}

/// The streams, for their users.
extension HTTP2Session {
  /// Begins a stream with a request.
  ///
  /// - Throws: `LupineError` of kind `connectionLost`, marked as unprocessed, if the connection takes no more streams.
  func begin(
    _ head: HTTP2RequestHead, hasContent: Bool, _ limits: Limits, _ user: any HTTP2StreamUser
  ) throws(LupineError) -> Int32 {
    var provider = lupine_nghttp2_provider(HTTP2Callbacks.readContent)
    let id = head.withFields { fields in
      withUnsafePointer(to: &provider) {
        nghttp2_submit_request(session, nil, fields.baseAddress, fields.count, hasContent ? $0 : nil, nil)
      }
    }
    guard id > 0 else {
      throw LupineError(
        .connectionLost, "The connection takes no more requests. (nghttp2: \(HTTP2Failure.text(of: id)))"
      )
      .unprocessed()
    }
    streams[id] = HTTP2Stream(id, user, HeadReader(limits, heads, mayBeMultiplexed: true))
    return id
  }

  /// Ends a stream for its user, who hears no more of it; RST_STREAM ends what is not complete.
  func abandon(_ id: Int32) {
    guard failure == nil, let stream = streams[id] else { return }
    stream.user = nil
    guard stream.part != .ended || !stream.isRequestSent else { return }
    nghttp2_submit_rst_stream(session, 0, id, NGHTTP2_CANCEL.rawValue)
  }

  /// Continues to send, because the request has content again.
  func resumeSending(_ id: Int32) { nghttp2_session_resume_data(session, id) }

  /// Returns the window of content that the consumer has taken.
  func consume(_ count: Int, of id: Int32) {
    guard failure == nil, count > 0 else { return }
    nghttp2_session_consume_stream(session, id, count)
  }
}

/// The callbacks of nghttp2.
extension HTTP2Session {
  func stream(_ id: Int32) -> HTTP2Stream? {
    if let lastStream, lastStream.id == id { return lastStream }
    lastStream = streams[id]
    return lastStream
  }

  private func countFrame(_ header: FrameScanner.Header, at now: UInt64) {
    receivedFrames += 1
    // Every peer sends these two without being asked for anything, when the connection begins.
    let isOfBeginning = header.type == NGHTTP2_SETTINGS.rawValue || header.type == NGHTTP2_WINDOW_UPDATE.rawValue
    if !isOfBeginning { activeAt = now }
    let hasFields = header.type == NGHTTP2_HEADERS.rawValue || header.type == NGHTTP2_CONTINUATION.rawValue
    if hasFields { receivedFieldBytes += header.length }
    meter.charge(fieldBytes: hasFields ? header.length : 0)
  }

  func receivedSettings() { hasSettings = true }

  func receivedGoAway() { isDraining = true }

  func receivedPingAnswer() { awaitsPingAnswer = false }

  /// Returns the bytes to the window of the connection.
  func receivedContent(_ count: Int) { nghttp2_session_consume_connection(session, count) }

  /// Records why nghttp2 refuses a frame; a frame of the connection ends it.
  func refusedFrame(of id: Int32, _ code: Int32) {
    let reason = HTTP2Failure.text(of: code)
    if let stream = stream(id) { stream.violation = reason }
    violation = reason
  }

  /// The session ends the connection, because the peer has broken a rule.
  func sentGoAway(_ code: UInt32) {
    if code != NGHTTP2_NO_ERROR.rawValue { fail(HTTP2Failure.violation(violation ?? HTTP2Failure.name(of: code))) }
  }

  func closed(_ id: Int32, _ code: UInt32) {
    guard let stream = streams.removeValue(forKey: id) else { return }
    if lastStream === stream { lastStream = nil }
    guard let user = stream.user.take() else { return }
    user.streamClosed(stream.part == .ended ? nil : Self.error(stream, code))
  }

  private static func error(_ stream: HTTP2Stream, _ code: UInt32) -> LupineError {
    if let violation = stream.violation { return HTTP2Failure.streamViolation(violation) }
    let isRefused = code == NGHTTP2_REFUSED_STREAM.rawValue && stream.part == .head
    if isRefused { return HTTP2Failure.refused }
    if let code = stream.resetCode { return HTTP2Failure.reset(code) }
    // nghttp2 closes a stream without a code after content that does not have its stated length.
    return code == NGHTTP2_NO_ERROR.rawValue ? HTTP2Failure.streamViolation(nil) : HTTP2Failure.reset(code)
  }
}
