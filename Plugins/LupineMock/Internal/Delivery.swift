import FoundationEssentials
import HTTPTypes
import LupineCore
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
    let status = head.status.code
    let (body, writer) = context.makeBody(for: head, from: source, resume: {})
    let data = if case .bytes(let bytes) = plan.content(for: request) { bytes } else { Data() }
    let metrics = plan.metrics(for: request, sent: bytesSent, received: data.count)
    do throws(LupineError) {
      if !data.isEmpty { _ = try writer.write(data) }
      try plan.weight.checkTrailers(context.limits)
      writer.finish(trailers: plan.part.trailers, metrics: metrics)
    } catch {
      writer.fail(error, metrics: metrics)
    }
    return TransportResponse(head: head, statusCode: status, body: body, source: source)
  }

  /// Delivers a reply whose body is sent by a separate task, which ends with the body.
  static func begin(
    _ plan: ReplyPlan, _ source: PieceSource, rate: Int?, _ request: OutgoingRequest, bytesSent: Int,
    on exchange: MockExchange, in context: TransferContext, whenDone: @escaping @Sendable () -> Void
  ) -> TransportResponse {
    for interim in plan.part.informational.dropFirst(plan.prelude.heard.count) { context.emit(.informational(interim)) }
    var head = plan.head
    if head.headerFields[.contentLength] == nil, let length = source.length, plan.tellsLength(for: request) {
      head.headerFields[.contentLength] = "\(length)"
    }
    let resumed = Signal()
    let (body, writer) = context.makeBody(for: head, from: plan.part.source) { resumed.set() }
    let metrics = plan.metrics(for: request, sent: bytesSent, received: 0)
    let delivery = BodyDelivery(
      plan: plan, writer: writer, resumed: resumed, exchange: exchange, context: context, metrics: metrics,
      rate: rate, told: plan.toldLength(for: request), fault: plan.hasBody(for: request) ? plan.part.fault : nil)
    let isAttached = Signal()
    let task = Task(executorPreference: context.executor) {
      // For the same reason as in `MockExchange.run`.
      await isAttached.wait()
      await delivery.run(source)
      exchange.detach()
      whenDone()
    }
    exchange.attach(task)
    isAttached.set()
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
