import FoundationEssentials
import HTTPTypes
import LupineCore

/// The delivery of one body that takes time.
struct BodyCourse: Sendable {
  let plan: ReplyPlan
  let writer: IncomingBodyWriter
  let resumed: Signal
  let exchange: MockExchange
  let context: TransferContext
  let metrics: TransferMetrics

  func run(_ source: PieceSource) async {
    var metrics = metrics
    do throws(LupineError) {
      try await deliver(source, &metrics)
      try await sufferFault()
      writer.finish(trailers: plan.part.trailers, metrics: metrics)
    } catch {
      source.cancel()
      writer.fail(exchange.reason ?? error, metrics: metrics)
    }
  }

  private func deliver(_ source: PieceSource, _ metrics: inout TransferMetrics) async throws(LupineError) {
    var source = source
    var left = plan.cut ?? .max
    while left > 0, let piece = try await source.next()?.prefix(left) {
      if Task.isCancelled { throw MockExchange.cancelled }
      guard !piece.isEmpty else { continue }
      left -= piece.count
      metrics.bytesReceived += Int64(piece.count)
      if try writer.write(piece) == .pause {
        await resumed.wait()
        resumed.clear()
        if Task.isCancelled { throw MockExchange.cancelled }
      }
    }
    source.cancel()
  }

  private func sufferFault() async throws(LupineError) {
    let cause = "as the stub at \(plan.asked.location) says."
    switch plan.part.fault {
    case .reset: throw LupineError(.connectionLost, "The server reset the connection in mid-body, \(cause)")
    case .truncated:
      throw LupineError(.connectionLost, "The connection was closed before the end of the body, \(cause)")
    case .stalled: try await Preparation.stall(plan, context)
    default: break
    }
  }
}

extension ReplyPlan {
  /// After how many bytes of the body the fault comes.
  var cut: Int? {
    switch part.fault {
    case .reset(let count), .truncated(let count), .stalled(let count): max(0, count)
    default: nil
    }
  }

  /// Whether the head tells the length of the body.
  var tellsLength: Bool {
    if case .chunks = part.content { return false }
    return head.status.code != 204 && head.status.code != 304
  }
}
