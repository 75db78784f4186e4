import HTTPTypes

/// Gathers the body in memory.
struct CollectingConsumer: ResponseConsumer {
  func destination(
    for head: HTTPResponse, to request: OutgoingRequest, limits: Limits
  ) throws(LupineError) -> BodySink.Destination {
    .collect(limit: limits.responseBody)
  }
}
