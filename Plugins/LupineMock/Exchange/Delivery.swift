import HTTPTypes
import LupineCore
import LupineDoubles
import LupineFoundation
import LupineSupport

/// Delivers the body of a reply.
enum Delivery {
  /// Delivers a reply that needs no waiting, in the caller's task.
  static func atOnce(
    _ plan: ReplyPlan, _ request: OutgoingRequest, bytesSent: Int, in context: TransferContext
  ) -> TransportResponse {
    plan.connect(for: request, in: context)
    for interim in plan.part.informational { context.emit(.informational(interim)) }
    let (head, source) = (plan.head, plan.part.source)
    let status = plan.part.status.code
    let data = if case .bytes(let bytes) = plan.content(for: request) { bytes } else { Data() }
    let metrics = plan.metrics(for: request, sent: bytesSent, received: data.count)
    let body: ResponseBody
    do throws(LupineError) {
      try plan.size.checkTrailers(context.limits)
      body = context.makeBody(
        for: head, from: source, content: data, trailers: plan.part.trailers, metrics: metrics)
    } catch {
      let pieces = context.makeBody(for: head, from: source, resume: {})
      // If the sink refuses the bytes, the body ends with its error.
      _ = try? pieces.writer.write(data)
      pieces.writer.fail(error, metrics: metrics)
      body = pieces.body
    }
    return TransportResponse(head: head, statusCode: status, body: body, source: source)
  }

  /// Delivers a reply whose body is sent by a separate task, which ends with the body.
  static func begin(
    _ plan: ReplyPlan, _ source: PieceSource, rate: Int?, _ request: OutgoingRequest, bytesSent: Int,
    on exchange: VirtualExchange, in context: TransferContext, whenDone: @escaping @Sendable () -> Void
  ) -> TransportResponse {
    plan.reportInterim(in: context)
    var head = plan.head
    if head.headerFields[.contentLength] == nil, let length = source.length, plan.statesLength(for: request) {
      head.headerFields[.contentLength] = "\(length)"
    }
    let resumed = Signal()
    let (body, writer) = context.makeBody(for: head, from: plan.part.source) { resumed.set() }
    let metrics = plan.metrics(for: request, sent: bytesSent, received: 0)
    let delivery = BodyDelivery(
      plan: plan, writer: writer, resumed: resumed, exchange: exchange, context: context, metrics: metrics,
      rate: rate, statedLength: plan.statedLength(for: request),
      fault: plan.hasBody(for: request) ? plan.part.fault : nil)
    _ = exchange.start(on: context.executor) {
      await delivery.run(source)
      exchange.detach()
      whenDone()
    }
    return TransportResponse(head: head, body: body, source: plan.part.source)
  }
}

extension TransferMetrics {
  /// Creates the mock's metrics, which have no times, because nothing takes time.
  init(sent: Int, received: Int, _ version: ProtocolVersion) {
    self.init()
    bytesSent = Int64(sent)
    bytesReceived = Int64(received)
    self.version = version
  }
}

/// The delivery of a body that takes time.
struct BodyDelivery: Sendable {
  let plan: ReplyPlan
  let writer: ResponseBodyWriter
  let resumed: Signal
  let exchange: VirtualExchange
  let context: TransferContext
  let metrics: TransferMetrics
  /// The rate in bytes per second; `nil` means no limit.
  let rate: Int?
  /// The length in bytes that the head states; `nil` if it states none.
  let statedLength: Int64?
  /// The fault that affects the body.
  let fault: NetworkFault?

  func run(_ source: PieceSource) async {
    var metrics = metrics
    do throws(LupineError) {
      try await deliver(source, &metrics)
      try await applyFault()
      try plan.size.checkTrailers(context.limits)
      writer.finish(trailers: plan.part.trailers, metrics: metrics)
    } catch {
      source.cancel()
      writer.fail(exchange.reason ?? error, metrics: metrics)
    }
  }

  private func deliver(_ source: PieceSource, _ metrics: inout TransferMetrics) async throws(LupineError) {
    var source = source
    var left = plan.bytesBeforeFault ?? .max
    while left > 0, let piece = try await next(&source)?.prefix(left) {
      left -= piece.count
      if let statedLength, metrics.bytesReceived + Int64(piece.count) > statedLength {
        throw lengthMismatch(statedLength, "more")
      }
      var rest = piece[...]
      while !rest.isEmpty {
        let part = rest.prefix(pieceLimit)
        rest = rest.dropFirst(part.count)
        try await pause(before: part.count, isFirst: metrics.bytesReceived == 0)
        try await write(part, &metrics)
      }
    }
    if let statedLength, metrics.bytesReceived < statedLength {
      throw lengthMismatch(statedLength, "\(metrics.bytesReceived)")
    }
    source.cancel()
  }

  /// Returns the next piece of the body; a failure is the stub's error, unless the stream throws an error with its own
  /// kind.
  private func next(_ source: inout PieceSource) async throws(LupineError) -> Data? {
    do throws(LupineError) { return try await source.next() } catch {
      if error.kind != .bodyFailed || exchange.reason != nil || Task.isCancelled { throw error }
      throw plan.parameters.recorded(plan.parameters.error("its body failed. \(error.message)", underlying: error))
    }
  }

  private func lengthMismatch(_ statedLength: Int64, _ found: String) -> LupineError {
    plan.parameters.recorded(plan.parameters.error(MockReply.Part.lengthMismatch(statedLength, found)))
  }

  /// The maximum size of a piece in bytes: a tenth of a second's worth if a rate is set.
  private var pieceLimit: Int {
    if case .dribble = fault { return 1 }
    return rate.map { max(1, $0 / 10) } ?? .max
  }

  private func pause(before count: Int, isFirst: Bool) async throws(LupineError) {
    if let rate { try await context.clock.pause(for: .seconds(1) * (Double(count) / Double(rate))) }
    if case .dribble(let interval) = fault, !isFirst { try await context.clock.pause(for: interval) }
    if Task.isCancelled { throw VirtualExchange.cancelled }
  }

  private func write(_ piece: Data, _ metrics: inout TransferMetrics) async throws(LupineError) {
    metrics.bytesReceived += Int64(piece.count)
    guard try writer.write(piece) == .pause else { return }
    await resumed.wait()
    resumed.clear()
    if Task.isCancelled { throw VirtualExchange.cancelled }
  }

  private func applyFault() async throws(LupineError) {
    let cause = plan.cause
    switch fault {
    case .reset: throw LupineError(.connectionLost, "The server reset the connection in mid-body, \(cause)")
    case .truncated:
      throw LupineError(.connectionLost, "The connection was closed before the end of the body, \(cause)")
    case .stall: try await Preparation.stall(cause, context)
    case .malformedChunk:
      throw LupineError(.malformedResponse, "The size of a chunk is no number, \(cause)")
    default: break
    }
  }
}

extension ReplyPlan {
  /// The number of bytes of the body before the fault occurs.
  var bytesBeforeFault: Int? {
    switch part.fault {
    case .reset(let count), .truncated(let count), .stall(let count): max(0, count)
    case .malformedChunk: 0
    default: nil
    }
  }

  /// Whether the head states the length of the body that is delivered.
  func statesLength(for request: OutgoingRequest) -> Bool {
    if case .chunks = part.content { return false }
    return part.fault != .malformedChunk && hasBody(for: request)
  }
}
