import HTTPTypes
import LupineCore
import LupineFraming

/// Carries an exchange over a stream of a connection of HTTP/2 (RFC 9113 section 8).
///
/// Only the thread of the loop uses it.
final class HTTP2Carrier: Carrier {
  private let exchange: Exchange
  private let shared: HTTP2Connection
  /// The stream; 0 before it is begun.
  private var id: Int32 = 0
  /// The content that waits until the sink has room; at most the window of the stream.
  private var held: [UInt8] = []
  /// When the stream received something last; 0 before that.
  private var receivedAt: UInt64 = 0
  /// The end of the response, which waits behind `held`.
  private var end: ResponseEnd?

  init(_ exchange: Exchange, on shared: HTTP2Connection) {
    self.exchange = exchange
    self.shared = shared
    shared.exchangeBegan()
  }

  private var session: HTTP2Session { shared.session }

  func begin() {
    let request = exchange.request
    let framing = RequestFraming(request.method, exchange.outgoing.reader)
    exchange.outgoing.begin(length: framing.length)
    let hasContent = exchange.outgoing.hasContent
    let expectsContinue = hasContent && exchange.expectsContinue
    if expectsContinue { exchange.waitForContinue() }
    let addsExpectation = expectsContinue && !RequestHead.asksForContinue(request.headers)
    let head = HTTP2RequestHead(
      request, length: framing.length, addsExpectation: addsExpectation,
      reusing: &shared.connection.route.requestFields)
    do throws(LupineError) {
      id = try session.begin(head, hasContent: hasContent, exchange.context.limits, self)
    } catch {
      exchange.fail(error)
    }
  }

  func resumeSending() {
    session.resumeSending(id)
    shared.scheduleFlush()
  }

  func resumeReceiving() {
    if !held.isEmpty {
      let bytes = held
      held = []
      bytes.withUnsafeBytes { pass($0) }
    }
    endIfComplete()
    shared.scheduleFlush()
  }

  /// Ends the stream; the connection stays open for others.
  func close(_ end: ResponseEnd?, hasTimedOut: Bool) {
    held = []
    session.abandon(id)
    shared.exchangeEnded(
      exchange.context.connections,
      timedOutSince: hasTimedOut ? max(receivedAt, exchange.times.connectionTaken) : nil)
  }

  var isConnectionLost: Bool { session.failure != nil }

  private func pass(_ content: UnsafeRawBufferPointer) {
    do throws(LupineError) {
      try exchange.pass(content)
      session.consume(content.count, of: id)
    } catch {
      exchange.fail(error)
    }
  }

  /// Ends the exchange if the sink has everything.
  private func endIfComplete() {
    guard held.isEmpty, exchange.phase == .active, let end = end.take() else { return }
    exchange.responseIsComplete(end)
  }
}

extension HTTP2Carrier: HTTP2StreamUser {
  func streamReceived(interim head: HTTPResponse) {
    receivedAt = session.activeAt
    exchange.receive(interim: head)
  }

  func streamReceived(head: ReceivedHead) {
    receivedAt = session.activeAt
    exchange.receive(head)
  }

  func streamReceived(content: UnsafeRawBufferPointer) {
    receivedAt = session.activeAt
    if exchange.incoming.isPaused { held += content } else { pass(content) }
  }

  func streamEnded(trailers: HTTPFields?) {
    end = ResponseEnd(trailers: trailers)
    endIfComplete()
  }

  func streamClosed(_ error: LupineError?) {
    if let error { exchange.connectionFailed(error) }
  }

  func streamSentHead() { exchange.outgoing.recordSent() }

  func streamSentEnd() {
    exchange.outgoing.complete()
    exchange.requestIsSent()
  }

  func streamContent(into space: UnsafeMutableRawBufferPointer) -> HTTP2Content {
    guard exchange.phase == .active, !exchange.outgoing.waitsForContinue else { return .pending }
    do throws(LupineError) {
      switch try exchange.outgoing.read(into: space) {
      case .pending: return .pending
      case .end: return .bytes(0, isLast: true)
      case .bytes(let count):
        exchange.outgoing.recordSent(content: count)
        return .bytes(count, isLast: exchange.outgoing.isRead)
      }
    } catch {
      exchange.fail(error)
      return .pending
    }
  }
}
