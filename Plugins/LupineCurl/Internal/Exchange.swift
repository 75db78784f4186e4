import CLibcurl
import HTTPTypes
import LupineCore

/// One exchange, on the loop's thread: what it is made of, and how far it has got.
final class Exchange {
  let submission: Submission
  let host: HostLine
  unowned let loop: Loop
  /// The descriptor that libcurl last asked about for this exchange; -1 before.
  var socket: Int32 = -1
  /// The ports of its connection, once it has one.
  var ports: SocketPorts?
  var clock = ExchangeClock()
  var incoming: Incoming
  var outgoing = Outgoing()
  /// What ends the exchange, where it was not libcurl that found it out.
  var failure: LupineError?
  /// What judges the server of the connection that is made for it.
  var handshake: Handshake?
  private var tls: TLSDetails?
  private(set) var easy: Easy?
  private var multi: Multi?
  private var address: String?
  private var answer: Submission.Outcome?
  private var isAnswered = false
  private var isOver = false

  init(_ submission: Submission, _ loop: Loop, _ host: HostLine) {
    self.submission = submission
    self.loop = loop
    self.host = host
    incoming = Incoming(submission, loop.names)
  }

  var id: UInt64 { submission.id }
  var request: OutgoingRequest { submission.request }
  var context: TransferContext { submission.context }

  /// Whether the body waits for the server's word (RFC 9110 section 10.1.1).
  var expectsContinue: Bool {
    outgoing.reader != nil && (request.options.expectsContinue || request.headers.contains(.expect))
  }

  /// Whether libcurl has it in hand.
  var isUnderWay: Bool { easy != nil }

  /// Hands the exchange to libcurl.
  func start(on multi: Multi) throws(LupineError) {
    if request.url.scheme == .https { try multi.checkCertificates(now: context.now()) }
    let shape = try openBody()
    let easy = try multi.makeEasy()
    try easy.prepare(request, shape, context)
    clock.start()
    try multi.add(easy)
    easy.exchange = self
    self.easy = easy
    self.multi = multi
  }

  /// Decides, each time libcurl is about to send the request on a connection, whether it may.
  ///
  /// libcurl sends a request again of its own accord when a used connection dies before a byte of the answer, a POST
  /// too; that decision is the session's. So the request goes out once.
  func mayBegin(_ ports: SocketPorts, address: UnsafeMutablePointer<CChar>?) -> Bool {
    guard let easy else { return false }
    guard self.ports == nil else {
      if incoming.writer == nil { failure = failure ?? Self.lost } else { outgoing.isAbandoned = true }
      return false
    }
    let isReused = easy.number(CURLINFO_NUM_CONNECTS) == 0
    guard isTrusted(isReused: isReused) else { return false }
    self.ports = ports
    if request.url.scheme == .https { tls = loop.details(of: easy) }
    let text = address.map { String(cString: $0) } ?? ""
    let remote = text.utf8.contains(0x3A) ? "[\(text)]:\(ports.remote)" : "\(text):\(ports.remote)"
    self.address = remote
    context.emit(.connected(address: remote, isReused: isReused))
    return true
  }

  /// Whether the connection was judged where it had to be; one that is used again was judged when it was made.
  private func isTrusted(isReused: Bool) -> Bool {
    guard context.evaluator != nil, request.url.scheme == .https, !isReused, handshake?.isTrusted != true else {
      return true
    }
    failure = failure ?? LupineError(.certificateRejected, "The server's certificate was not judged.")
    return false
  }

  private static let lost = LupineError(
    .connectionLost,
    "The connection ended before the response began; whether the server has acted on the request is not known.")

  /// Keeps what the caller of `send` will hear at the end of the turn.
  func answer(_ outcome: Submission.Outcome) {
    guard answer == nil, !isAnswered else { return }
    answer = outcome
    loop.hasAnswer(self)
  }

  /// Tells the caller of `send`, once.
  func handOver() {
    guard let answer, !isAnswered else { return }
    isAnswered = true
    self.answer = nil
    submission.continuation.resume(returning: answer)
  }
}

extension Exchange {
  /// Takes libcurl's word that the exchange is over.
  func complete(_ code: CURLcode) {
    guard let easy else { return }
    if isComplete(code), failure == nil, incoming.writer != nil {
      return finish(isReusable: code == CURLE_OK)
    }
    let error =
      failure
      ?? CurlError.error(
        code, text: easy.errorText, system: Int32(truncatingIfNeeded: easy.number(CURLINFO_OS_ERRNO)),
        hasConnection: ports != nil)
    end(error)
  }

  /// Whether the response is whole: libcurl says so, or it was kept from sending the request again.
  private func isComplete(_ code: CURLcode) -> Bool {
    code == CURLE_OK || (code == CURLE_ABORTED_BY_CALLBACK && outgoing.isAbandoned)
  }

  func cancel() {
    end(context.control.reason ?? LupineError(.cancelled, "The request was cancelled."))
  }

  /// The response is complete, so what is left of the body is not sent; the connection is of no use any more.
  func abandon() { finish(isReusable: false) }

  private func finish(isReusable: Bool) {
    guard !isOver else { return }
    let metrics = metrics()
    release(isReusable: isReusable)
    incoming.writer?.finish(trailers: incoming.head.trailers, metrics: metrics)
  }

  /// Ends the exchange before its time, wherever it stands.
  func end(_ error: LupineError) {
    guard !isOver else { return }
    let metrics = metrics()
    release(isReusable: false)
    if let writer = incoming.writer {
      writer.fail(error, metrics: metrics)
    } else {
      answer(.failure(error.measured(metrics)))
    }
  }

  private func metrics() -> TransferMetrics {
    var metrics = clock.metrics(easy, taken: outgoing.taken, address: address, version: incoming.head.line?.version)
    metrics.tls = tls
    return metrics
  }

  private func release(isReusable: Bool) {
    isOver = true
    outgoing.reader?.cancel()
    if let easy { multi?.remove(easy, isReusable: isReusable) }
    easy = nil
    multi = nil
    if isReusable { loop.guardIdle(socket) }
    loop.isOver(self)
  }
}
