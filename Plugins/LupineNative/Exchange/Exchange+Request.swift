import HTTPTypes
import LupineCore
import LupineEventLoop

/// The request, for the carrier.
extension Exchange {
  /// How long the body waits for 100 (Continue), which a server need not send (RFC 9110 section 10.1.1).
  private static let continueTimeout = Duration.seconds(1)

  /// Opens the request's body in a task.
  func openBody() {
    phase = .opening
    // A proxy may refuse the tunnel.
    submission.openBody(mayStayUnread: expectsContinue || route.isTunnelled)
  }

  /// Continues with the open body.
  func finishOpening(_ body: Result<any BodyReader, LupineError>) {
    guard phase == .opening else { return }
    switch body {
    case .success(let reader):
      outgoing.reader = reader
      connect()
    case .failure(let error): fail(error)
    }
  }

  /// How a proxy forwards the request; `nil` if the server receives it.
  var forwarding: RequestForwarding? { route.isForwarded ? RequestForwarding(authorization: proxyAuthorization) : nil }

  /// The field with the credential for the proxy.
  ///
  /// `HTTPField` replaces bytes that a field's value may not contain.
  var proxyAuthorization: HTTPField? {
    context.proxyAuthorization.map { HTTPField(name: .proxyAuthorization, value: $0) }
  }

  /// Whether the request's content waits for 100 (Continue).
  var expectsContinue: Bool {
    request.hasBody && (request.expectsContinue || RequestHead.asksForContinue(request.headers))
  }

  /// Continues to send, because the reader has bytes again.
  func resumeSending() {
    if phase == .active { carrier?.resumeSending() }
  }

  /// Continues after the whole request has been sent.
  func requestIsSent() {
    guard phase == .active, times.requestSent == nil else { return }
    times.requestSent = loop.now
    if !outgoing.hasContent { context.emit(.sent(bytes: 0)) }
    if let end = incoming.end.take() { finish(end) }
  }

  /// Makes the content wait for 100 (Continue).
  func waitForContinue() {
    outgoing.waitsForContinue = true
    let time = SessionClock(context.clock, executor: context.executor)
    continueTimer = time.schedule(Self.continueTimeout) { [ticket = submission.ticket] in
      ticket.post(.continueTimedOut)
    }
  }

  /// Sends the body, because the server has asked for it, or has sent nothing for a while.
  func stopWaitingForContinue() {
    guard phase == .active, outgoing.waitsForContinue else { return }
    continueTimer?.cancel()
    continueTimer = nil
    outgoing.waitsForContinue = false
    carrier?.resumeSending()
  }
}
