import HTTPTypes
import LupineCore
import LupineDoubles
import LupineFoundation
import LupineSupport

/// The steps of a reply before its head: the delay, the faults without a head, and opening the source of its bytes.
enum Preparation {
  static func prepare(
    _ plan: ReplyPlan, for request: OutgoingRequest, latency: Duration, in context: TransferContext
  ) async throws(LupineError) -> PieceSource {
    if let problem = plan.problem { throw problem }
    if !plan.prelude.isConnected { plan.connect(for: request, in: context) }
    try await context.clock.pause(for: plan.part.delay.bounded + latency - plan.prelude.waited)
    if let fault = plan.part.fault {
      if fault.isBeforeHead { plan.reportInterim(in: context) }
      try await apply(fault, plan.cause, request, context)
    }
    if let failure = plan.part.failure { throw failure }
    try plan.size.check(context.limits)
    let source = try await open(plan, for: request, context)
    if let statedLength = plan.statedLength(for: request), let length = source.length, statedLength != length {
      source.cancel()
      throw plan.parameters.recorded(plan.parameters.error(MockReply.Part.lengthMismatch(statedLength, "\(length)")))
    }
    return source
  }

  private static func open(
    _ plan: ReplyPlan, for request: OutgoingRequest, _ context: TransferContext
  ) async throws(LupineError) -> PieceSource {
    do throws(LupineError) {
      return try await PieceSource(plan.content(for: request), clock: context.clock)
    } catch {
      throw plan.parameters.recorded(
        plan.parameters.error("its body cannot be opened. \(error.message)", underlying: error))
    }
  }

  /// Ends the exchange with a fault that leaves no head.
  static func apply(
    _ fault: NetworkFault, _ cause: String, _ request: OutgoingRequest, _ context: TransferContext
  ) async throws(LupineError) {
    let host = request.url.host
    switch fault {
    case .hostNotFound: throw LupineError(.hostNotFound, "The host \(host) has no address, \(cause)")
    case .connectionRefused:
      throw LupineError(.connectionRefused, "\(request.url.authority) refused the connection, \(cause)")
    case .networkUnreachable: throw LupineError(.networkUnreachable, "There is no route to \(host), \(cause)")
    case .tlsRefused: throw LupineError(.tlsFailed, "The TLS handshake with \(host) failed, \(cause)")
    case .connectionStalled:
      try await context.clock.pause(for: context.connectTimeout ?? VirtualExchange.longestWait)
      throw LupineError(
        .timedOut(.connect), "No connection to \(request.url.authority) was established in time, \(cause)")
    case .resetBeforeHead:
      throw LupineError(.connectionLost, "\(host) reset the connection before it answered, \(cause)")
    case .resetInRequest(let count): throw resetInRequest(request, after: count, cause)
    case .stallBeforeHead: try await stall(cause, context)
    case .goAway:
      throw LupineError(.connectionLost, "\(host) sent GOAWAY and did not process the request, \(cause)").unprocessed()
    case .doubledLength:
      throw LupineError(.malformedResponse, "The response has two lengths, \(cause)")
    case .reset, .stall, .truncated, .dribble, .malformedChunk, .oversizedField, .compressedBomb: break
    }
  }

  /// The error of a connection that is reset while the request's body is sent.
  static func resetInRequest(_ request: OutgoingRequest, after count: Int, _ cause: String) -> LupineError {
    LupineError(
      .connectionLost,
      "\(request.url.host) reset the connection after \(count) bytes of the request's body, \(cause)")
  }

  /// Waits until a timeout or a cancellation ends the exchange.
  static func stall(_ cause: String, _ context: TransferContext) async throws(LupineError) {
    try await context.clock.pause(for: VirtualExchange.longestWait)
    throw LupineError(
      .connectionLost,
      "The server sent nothing more, and no timeout ended the request within a year, \(cause)")
  }
}

extension NetworkFault {
  /// Whether the fault replaces the head of the response, after interim responses.
  fileprivate var isBeforeHead: Bool {
    switch self {
    case .resetBeforeHead, .resetInRequest, .stallBeforeHead: true
    default: false
    }
  }
}

extension ReplyPlan {
  /// Reports the exchange's own connection, unless no connection is made.
  func connect(for request: OutgoingRequest, in context: TransferContext) {
    guard part.failure == nil, part.fault?.isBeforeConnection != true else { return }
    context.reportConnection(for: request, tunnel: part.source == .origin ? part.tunnelFields ?? [:] : nil)
  }

  /// Reports the interim responses that have not been reported.
  func reportInterim(in context: TransferContext) {
    for interim in part.informational.dropFirst(prelude.reportedInterim.count) { context.emit(.informational(interim)) }
  }

  /// Returns the content of the response to this request: empty for HEAD, 204 and 304.
  func content(for request: OutgoingRequest) -> MockReply.Content {
    hasBody(for: request) ? part.content : .bytes(.init())
  }

  /// Whether the response to this request can have content (RFC 9110 section 6.4.1).
  func hasBody(for request: OutgoingRequest) -> Bool { !hasNoContent && request.method != .head }
}

extension TransferContext {
  /// Reports a connection to the request's server.
  ///
  /// - Parameter tunnel: the fields of a proxy's response to CONNECT; `nil` if the proxy did not open a tunnel.
  func reportConnection(for request: OutgoingRequest, tunnel: HTTPFields? = [:]) {
    if let tunnel, tunnels(request) { emit(.tunnelled(HTTPResponse(status: .ok, headerFields: tunnel))) }
    guard isObserved else { return }
    let url = request.url
    // The text of a number takes 800 instructions.
    let port = url.port.map { ":\($0)" } ?? (url.scheme == .https ? ":443" : ":80")
    emit(.connected(address: url.host + port, isReused: false))
    // The reader of any other body reports it.
    if !request.hasBody || request.body.length == 0 { emit(.sent(bytes: 0)) }
  }
}
