import HTTPTypes

/// Gathers the body in memory.
final class CollectingConsumer: ResponseConsumer {
  /// One for all requests, since it remembers nothing.
  static let shared = CollectingConsumer()

  private init() {}

  func destination(
    for head: HTTPResponse, to request: OutgoingRequest, limits: Limits
  ) throws(LupineError) -> BodySink.Destination {
    .collect(limit: limits.responseBody)
  }
}
