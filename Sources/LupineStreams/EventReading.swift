/// One reading of a stream of events; letting go of it ends the request.
final class EventReading: Sendable {
  let source: ServerSentEventConnection

  init(_ source: ServerSentEventConnection) { self.source = source }

  deinit { source.leave() }
}
