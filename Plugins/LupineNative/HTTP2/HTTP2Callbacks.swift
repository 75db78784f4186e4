import CNghttp2
import LupineCore

private func session(_ target: UnsafeMutableRawPointer?) -> HTTP2Session? {
  target.map { Unmanaged<HTTP2Session>.fromOpaque($0).takeUnretainedValue() }
}

/// The result of a callback that makes nghttp2 reset the stream of the frame.
private let resetsStream = NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
/// The result of a callback that makes nghttp2 stop.
private let stops = NGHTTP2_ERR_CALLBACK_FAILURE.rawValue

/// The callbacks of nghttp2, which forward to the session.
enum HTTP2Callbacks {
  /// Creates a session of nghttp2 whose callbacks are called with this `HTTP2Session`.
  static func makeSession(for target: UnsafeMutableRawPointer) throws(LupineError) -> OpaquePointer {
    var callbacks: OpaquePointer?
    var options: OpaquePointer?
    var session: OpaquePointer?
    defer {
      nghttp2_session_callbacks_del(callbacks)
      nghttp2_option_del(options)
    }
    guard nghttp2_session_callbacks_new(&callbacks) == 0, nghttp2_option_new(&options) == 0 else { throw noMemory }
    // The session returns the windows itself, as its consumers take content.
    nghttp2_option_set_no_auto_window_update(options, 1)
    setReceiving(callbacks)
    setSending(callbacks)
    guard nghttp2_session_client_new2(&session, callbacks, target, options) == 0, let session else { throw noMemory }
    return session
  }

  private static var noMemory: LupineError { LupineError(.other, "nghttp2 has no memory for a connection.") }

  private static func setReceiving(_ callbacks: OpaquePointer?) {
    nghttp2_session_callbacks_set_on_header_callback(callbacks) {
      _, frame, name, nameSize, value, valueSize, _, target in
      guard let frame, let session = session(target) else { return stops }
      let isRead = session.receivedField(
        of: frame.pointee.hd.stream_id, UnsafeRawBufferPointer(start: name, count: nameSize),
        UnsafeRawBufferPointer(start: value, count: valueSize))
      return isRead ? 0 : resetsStream
    }
    // Without this callback, nghttp2 would ignore fields whose name or value is not allowed.
    nghttp2_session_callbacks_set_on_invalid_header_callback(callbacks) { _, frame, _, _, _, _, _, target in
      guard let frame, let session = session(target) else { return stops }
      session.refusedFrame(of: frame.pointee.hd.stream_id, NGHTTP2_ERR_HTTP_HEADER.rawValue)
      return resetsStream
    }
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { _, _, id, bytes, count, target in
      guard let session = session(target) else { return stops }
      session.receivedContent(of: id, UnsafeRawBufferPointer(start: bytes, count: count))
      return session.failure == nil ? 0 : stops
    }
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, target in
      guard let frame, let session = session(target) else { return stops }
      session.received(frame)
      return session.failure == nil ? 0 : stops
    }
    nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(callbacks) { _, frame, code, target in
      if let frame { session(target)?.refusedFrame(of: frame.pointee.hd.stream_id, code) }
      return 0
    }
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, id, code, target in
      session(target)?.closed(id, code)
      return 0
    }
  }

  private static func setSending(_ callbacks: OpaquePointer?) {
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks) { _, frame, target in
      if let frame { session(target)?.sent(frame) }
      return 0
    }
  }

  static let readContent: nghttp2_data_source_read_callback = { _, id, space, count, flags, _, target in
    guard let session = session(target), !session.isEnding, let user = session.stream(id)?.user else {
      return Int(NGHTTP2_ERR_DEFERRED.rawValue)
    }
    switch user.streamContent(into: UnsafeMutableRawBufferPointer(start: space, count: count)) {
    case .pending: return Int(NGHTTP2_ERR_DEFERRED.rawValue)
    case .bytes(let count, let isLast):
      if isLast { flags?.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
      return count
    }
  }
}

/// The frames.
extension HTTP2Session {
  fileprivate func received(_ frame: UnsafePointer<nghttp2_frame>) {
    let header = frame.pointee.hd
    let ends = header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
    switch UInt32(header.type) {
    case NGHTTP2_HEADERS.rawValue: receivedFields(of: header.stream_id, bytes: header.length, ends: ends)
    case NGHTTP2_DATA.rawValue: if ends { receivedEnd(of: header.stream_id) }
    case NGHTTP2_RST_STREAM.rawValue: stream(header.stream_id)?.resetCode = lupine_nghttp2_reset_code(frame)
    case NGHTTP2_SETTINGS.rawValue: receivedSettings()
    case NGHTTP2_GOAWAY.rawValue: receivedGoAway()
    case NGHTTP2_PING.rawValue where header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0: receivedPingAnswer()
    default: break
    }
  }

  fileprivate func receivedContent(of id: Int32, _ bytes: UnsafeRawBufferPointer) {
    meter.returnContent(bytes: bytes.count)
    receivedContent(bytes.count)
    guard let user = stream(id)?.user else { return consume(bytes.count, of: id) }
    user.streamReceived(content: bytes)
  }

  fileprivate func sent(_ frame: UnsafePointer<nghttp2_frame>) {
    let header = frame.pointee.hd
    switch UInt32(header.type) {
    case NGHTTP2_GOAWAY.rawValue: sentGoAway(lupine_nghttp2_goaway_code(frame))
    case NGHTTP2_HEADERS.rawValue, NGHTTP2_DATA.rawValue:
      // After the end of the connection nothing is sent.
      guard !isEnding else { return }
      meter.returnSentFrame()
      guard let stream = stream(header.stream_id) else { return }
      if header.type == NGHTTP2_HEADERS.rawValue { stream.user?.streamSentHead() }
      guard header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0 else { return }
      stream.isRequestSent = true
      stream.user?.streamSentEnd()
    default: break
    }
  }
}
