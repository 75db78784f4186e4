import COpenSSL
import LupineCore
import LupineEventLoop
import LupineTLS
import LupineX509

/// Moves bytes through TLS over another channel, which may be one with TLS as well.
final class TLSChannel: Channel {
  /// The maximum number of bytes that the peer may send in the handshake.
  private static let maximumHandshake = 512 << 10
  /// The maximum number of bytes that the peer may send without content, such as session tickets.
  private static let maximumControl = 128 << 10
  /// The maximum number of sessions that the peer may offer.
  private static let maximumSessions = 64
  /// The work after which a call returns.
  private static let workAtOnce = 64
  /// The work of a message about the connection itself, such as KeyUpdate, in records.
  private static let workOfMessage = 8

  /// How the handshake stands.
  enum Progress {
    case finished
    /// The handshake continues when the socket is ready.
    case pending
    /// The handshake can continue at once, in another turn of the loop.
    case interrupted
    /// The reason, in lower case.
    case failed(String)
  }

  private let inner: any Channel
  private let connection: TLSConnection
  /// The peer, as the start of a sentence.
  private let peer: String
  /// The last result of the channel below, if nothing follows it.
  private var innerEnding: SocketResult?
  /// The result of every further receive.
  private var ending: SocketResult?
  private(set) var failure: LupineError?
  private var isEstablished = false
  /// The number of bytes that have arrived since the last content.
  private var controlCount = 0
  private var sessionCount = 0
  private var feed = RecordFeed()
  private var ownWork = 0
  /// The work at which the present call returns.
  private var workLimit = 0
  /// Whether the present or the last call has ended because of its work, so that more can be received at once.
  private var isInterrupted = false
  /// Whether the present call has received everything that has arrived.
  private var isDry = false

  /// - Throws: `LupineError` of kind `configuration` for an unusable client certificate, or of kind `tlsFailed`.
  init(
    over inner: any Channel, _ offer: TLSOffer, in context: TLSContext, verifiedBy handshake: Handshake, peer: String
  ) throws(LupineError) {
    self.inner = inner
    connection = try TLSConnection(offer, in: context, verifiedBy: handshake)
    self.peer = peer
    guard ChannelBIO.connect(connection.pointer, to: self), connection.sendServerName(offer.host) else {
      throw LupineError(.tlsFailed, "No TLS connection can be created.")
    }
  }

  /// The details of the connection, after the handshake.
  var details: TLSDetails { TLSDetails(connection.pointer) }

  /// Whether the handshake resumed a session, and so has not verified the peer again.
  var isResumed: Bool { SSL_session_reused(connection.pointer) == 1 }

  /// The code of a failed verification; `nil` if it has not failed.
  var verificationFailure: Int32? {
    let code = SSL_get_verify_result(connection.pointer)
    return code == Int(X509_V_OK) ? nil : Int32(truncatingIfNeeded: code)
  }

  /// Begins a call that may receive.
  private func beginCall() {
    ERR_clear_error()
    workLimit = work + Self.workAtOnce
    isInterrupted = false
    isDry = false
  }

  /// Continues the handshake.
  func shakeHands() -> Progress {
    beginCall()
    let code = SSL_do_handshake(connection.pointer)
    guard code != 1 else {
      isEstablished = true
      controlCount = 0
      return .finished
    }
    switch SSL_get_error(connection.pointer, code) {
    case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return isInterrupted ? .interrupted : .pending
    default: return .failed(reason)
    }
  }

  /// Why OpenSSL has failed.
  private var reason: String {
    let text = OpenSSLText.takeError()
    return switch innerEnding {
    case _ where isFlooded: "too many bytes arrived"
    case .end: "the connection ended"
    case .failure(let error): error.text
    default: text
    }
  }

  func send(_ bytes: UnsafeRawBufferPointer) -> SocketResult {
    var sent = 0
    while sent < bytes.count {
      var count = 0
      ERR_clear_error()
      let code = SSL_write_ex(connection.pointer, bytes.baseAddress?.advanced(by: sent), bytes.count - sent, &count)
      sent += count
      if code == 1 { continue }
      switch SSL_get_error(connection.pointer, code) {
      case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return sent > 0 ? .bytes(sent) : .wouldBlock
      default:
        ERR_clear_error()
        return sent > 0 ? .bytes(sent) : .failure(Self.broken)
      }
    }
    return .bytes(sent)
  }

  func receive(into buffer: UnsafeMutableRawBufferPointer) -> SocketResult {
    if let ending { return ending }
    beginCall()
    var received = 0
    while received < buffer.count {
      var count = 0
      ERR_clear_error()
      let start = buffer.baseAddress?.advanced(by: received)
      let code = SSL_read_ex(connection.pointer, start, buffer.count - received, &count)
      if code == 1 {
        received += count
        controlCount = 0
      } else if !continues(after: code) {
        break
      }
    }
    if received > 0 { return .bytes(received) }
    return ending ?? (isInterrupted ? .overhead : .wouldBlock)
  }

  /// Sets `ending` after a read without content, and returns whether the present call continues.
  private func continues(after code: Int32) -> Bool {
    ending = ending(SSL_get_error(connection.pointer, code))
    if ending != nil || isDry || isInterrupted { return false }
    // OpenSSL has processed a message that is not content.
    ownWork += Self.workOfMessage
    isInterrupted = work >= workLimit
    return !isInterrupted
  }

  /// Returns how the connection has ended; `nil` if more can follow.
  private func ending(_ error: Int32) -> SocketResult? {
    switch error {
    case SSL_ERROR_WANT_READ: return nil
    case SSL_ERROR_WANT_WRITE:
      isDry = true
      return nil
    case SSL_ERROR_ZERO_RETURN: return .end
    default:
      failure = loss(reason)
      return .failure(Self.broken)
    }
  }

  private func loss(_ reason: String) -> LupineError {
    switch innerEnding {
    case _ where isFlooded:
      LupineError(
        .malformedResponse,
        "\(peer) keeps sending TLS records that are not part of a response; its connection is closed.")
    case .end:
      LupineError(
        .connectionLost,
        "The connection ended before the response did. TLS ended without close_notify, and nothing else shows that the "
          + "response is complete (RFC 9112 section 9.8).")
    default: LupineError(.connectionLost, "\(peer)'s TLS connection broke before the response was complete: \(reason)")
    }
  }

  private static let broken = SystemError.connectionReset

  var holdsInput: Bool { ending != nil || isInterrupted }

  var work: Int { ownWork + inner.work }

  /// Also processes messages about the connection itself, such as session tickets; false if there are more of them than
  /// a call processes.
  var isQuiet: Bool {
    guard ending == nil else { return false }
    beginCall()
    var byte: UInt8 = 0
    var count = 0
    var code: Int32
    repeat { code = SSL_peek_ex(connection.pointer, &byte, 1, &count) } while code != 1 && continues(after: code)
    return code != 1 && ending == nil && !isInterrupted
  }

  /// Sends close_notify, which shows the peer that the request was complete (RFC 8446 section 6.1).
  func close() {
    if isEstablished, failure == nil {
      ERR_clear_error()
      SSL_shutdown(connection.pointer)
      ERR_clear_error()
    }
    inner.close()
  }
}

// For the callbacks of OpenSSL.
extension TLSChannel {
  /// Whether the channel below has ended.
  var hasSocketEnded: Bool { if case .end = innerEnding { true } else { false } }

  /// Whether the channel below has ended after a whole record, although TLS has not.
  var hasEndedBetweenRecords: Bool { hasSocketEnded && failure != nil && !isFlooded && feed.isBetweenRecords }

  private var isFlooded: Bool {
    controlCount > (isEstablished ? Self.maximumControl : Self.maximumHandshake) || sessionCount > Self.maximumSessions
  }

  /// Counts a session that the peer offers.
  func countSession() { sessionCount += 1 }

  /// Receives the bytes of records.
  func receiveRecords(into buffer: UnsafeMutableRawBufferPointer) -> SocketResult {
    while !isFlooded {
      let count = feed.take(into: buffer)
      if count > 0 { return .bytes(count) }
      guard work < workLimit else { return interrupt() }
      if feed.beginRecord() {
        ownWork += 1
        continue
      }
      let result = feed.fill(from: inner)
      switch result {
      case .bytes(let count): controlCount += count
      case .overhead: return interrupt()
      case .wouldBlock:
        isDry = true
        return result
      case .end, .failure:
        innerEnding = result
        return result
      }
    }
    return .failure(Self.broken)
  }

  private func interrupt() -> SocketResult {
    isInterrupted = true
    return .overhead
  }

  /// Sends the bytes of records.
  func sendRecords(_ bytes: UnsafeRawBufferPointer) -> SocketResult {
    let result = inner.send(bytes)
    if case .failure = result { innerEnding = result }
    return result
  }
}
