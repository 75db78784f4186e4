/// One reading of a stream of events; letting go of it ends the request.
final class EventReading: Sendable {
  let source: EventSource

  init(_ source: EventSource) { self.source = source }

  deinit { source.leave() }
}
