import HTTPTypes

@testable import LupineCore

/// A transport that calls a closure for each exchange.
struct ClosureTransport: Transport {
  var capabilities: TransportCapabilities = []
  let answer: @Sendable (OutgoingRequest, TransferContext) async throws(LupineError) -> TransportResponse

  func send(
    _ request: OutgoingRequest, in context: TransferContext
  ) async throws(LupineError) -> TransportResponse {
    try await answer(request, context)
  }

  func shutdown() async {}
}

extension TransferContext {
  /// A response whose body is complete.
  func answer(_ status: Int = 200, _ fields: HTTPFields = [:], _ text: String = "") -> TransportResponse {
    let (response, writer) = begin(status, fields)
    var bytes = Array(text.utf8)
    do throws(LupineError) {
      if !bytes.isEmpty { try writer.write(&bytes) }
      writer.finish(metrics: TransferMetrics())
    } catch {
      writer.fail(error, metrics: TransferMetrics())
    }
    return response
  }

  /// A response whose body is not written yet, and the writer of the body.
  func begin(_ status: Int = 200, _ fields: HTTPFields = [:]) -> (TransportResponse, ResponseBodyWriter) {
    let head = HTTPResponse(status: .init(code: status), headerFields: fields)
    let (body, writer) = makeBody(for: head, resume: {})
    return (TransportResponse(head: head, body: body), writer)
  }

  /// Raises `asked`, waits until the exchange is cancelled, and throws `cancelled`.
  func hang(_ asked: Flag) async throws(LupineError) -> TransportResponse {
    asked.raise()
    await untilCancelled()
    throw LupineError(.cancelled, "")
  }

  /// Waits until the exchange is cancelled.
  func untilCancelled() async {
    let flag = Flag()
    onCancel { flag.raise() }
    await flag.raised()
  }
}
