import Lupine

/// A response in memory.
struct StoredAnswer: Sendable {
  let head: HTTPResponse
  let end: BodyEnd
  /// When it arrived.
  var time = Duration.zero

  /// Answers an exchange: the bytes go wherever the session wants them, to memory, a file or a stream.
  func response(_ status: CacheStatus, in context: TransferContext) -> TransportResponse {
    let (body, writer) = context.makeBody(for: head, resume: {})
    do throws(LupineError) {
      _ = try writer.write(end.data)
      writer.finish(trailers: end.trailers, metrics: end.metrics)
    } catch {
      writer.fail(error, metrics: end.metrics)
    }
    var response = TransportResponse(head: head, body: body)
    response.attributes[CacheStatus.self] = status
    return response
  }
}
