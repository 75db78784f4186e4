import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineSupport

/// The delivery of a body that takes time.
struct BodyDelivery: Sendable {
  let plan: ReplyPlan
  let writer: ResponseBodyWriter
  let resumed: Signal
  let exchange: MockExchange
  let context: TransferContext
  let metrics: TransferMetrics
  /// The rate in bytes per second; `nil` means no limit.
  let rate: Int?
  /// The length in bytes that the head states; `nil` if it states none.
  let told: Int64?
  /// The fault that affects the body.
  let fault: NetworkFault?

  func run(_ source: PieceSource) async {
    var metrics = metrics
    do throws(LupineError) {
      try await deliver(source, &metrics)
      try await sufferFault()
      try plan.weight.checkTrailers(context.limits)
      writer.finish(trailers: plan.part.trailers, metrics: metrics)
    } catch {
      source.cancel()
      writer.fail(exchange.reason ?? error, metrics: metrics)
    }
  }

  private func deliver(_ source: PieceSource, _ metrics: inout TransferMetrics) async throws(LupineError) {
    var source = source
    var left = plan.cut ?? .max
    while left > 0, let piece = try await next(&source)?.prefix(left) {
      left -= piece.count
      if let told, metrics.bytesReceived + Int64(piece.count) > told { throw falseLength(told, "more") }
      var rest = piece[...]
      while !rest.isEmpty {
        let part = rest.prefix(pieceLimit)
        rest = rest.dropFirst(part.count)
        try await pause(before: part.count, isFirst: metrics.bytesReceived == 0)
        try await write(part, &metrics)
      }
    }
    if let told, metrics.bytesReceived < told { throw falseLength(told, "\(metrics.bytesReceived)") }
    source.cancel()
  }

  /// Returns the next piece of the body; a failure is the stub's error, unless the stream throws an error with its own
  /// kind.
  private func next(_ source: inout PieceSource) async throws(LupineError) -> Data? {
    do throws(LupineError) { return try await source.next() } catch {
      if error.kind != .bodyFailed || exchange.reason != nil || Task.isCancelled { throw error }
      throw plan.asked.noted(plan.asked.error("its body failed. \(error.message)", underlying: error))
    }
  }

  private func falseLength(_ told: Int64, _ found: String) -> LupineError {
    plan.asked.noted(plan.asked.error(MockReply.Part.falseLength(told, found)))
  }

  /// The maximum size of a piece in bytes: a tenth of a second's worth if a rate is set.
  private var pieceLimit: Int {
    if case .dribble = fault { return 1 }
    return rate.map { max(1, $0 / 10) } ?? .max
  }

  private func pause(before count: Int, isFirst: Bool) async throws(LupineError) {
    if let rate { try await context.clock.pause(for: .seconds(1) * (Double(count) / Double(rate))) }
    if case .dribble(let interval) = fault, !isFirst { try await context.clock.pause(for: interval) }
    if Task.isCancelled { throw MockExchange.cancelled }
  }

  private func write(_ piece: Data, _ metrics: inout TransferMetrics) async throws(LupineError) {
    metrics.bytesReceived += Int64(piece.count)
    guard try writer.write(piece) == .pause else { return }
    await resumed.wait()
    resumed.clear()
    if Task.isCancelled { throw MockExchange.cancelled }
  }

  private func sufferFault() async throws(LupineError) {
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
  var cut: Int? {
    switch part.fault {
    case .reset(let count), .truncated(let count), .stall(let count): max(0, count)
    case .malformedChunk: 0
    default: nil
    }
  }

  /// Whether the head states the length of the body that is delivered.
  func tellsLength(for request: OutgoingRequest) -> Bool {
    if case .chunks = part.content { return false }
    return part.fault != .malformedChunk && hasBody(for: request)
  }
}
