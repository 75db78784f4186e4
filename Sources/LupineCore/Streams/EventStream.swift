import HTTPTypes
import Synchronization

extension DataStreamRequest {
  /// The body as Server-Sent Events (WHATWG HTML, section 9.2), reconnecting when the connection ends.
  ///
  /// The request is sent with `Accept: text/event-stream`, and again with `Last-Event-ID` after the time the server asks
  /// for, on the session's clock, until the server answers 204 or the consumer stops. Another status than 200, or another
  /// media type, ends the stream with an error.
  ///
  /// - Parameters:
  ///   - reconnects: whether to connect again. Default: yes.
  ///   - retry: the time before a reconnection where the server names none. Default: 3 seconds.
  ///   - limit: the most bytes of one event. Default: 1 MiB.
  public func serializingEvents(
    reconnects: Bool = true, retry: Duration = .seconds(3), limit: Int = 1 << 20
  ) -> EventStream {
    EventStream(task: task, window: consumer.window, reconnects: reconnects, retry: retry, limit: limit)
  }
}

/// Server-Sent Events, over as many connections as it takes.
public struct EventStream: AsyncSequence, Sendable {
  /// One event.
  public typealias Element = ServerSentEvent

  let task: RequestTask
  let window: Int
  let reconnects: Bool
  let retry: Duration
  let limit: Int

  /// Begins to read; the request starts with the first event that is asked for.
  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// Reads the events in order.
  public struct Iterator: AsyncIteratorProtocol {
    private let stream: EventStream
    private var parser: ServerSentEventParser
    private var lines: LineStream.Iterator?
    private var isFirst = true

    init(_ stream: EventStream) {
      self.stream = stream
      parser = ServerSentEventParser(limit: stream.limit)
    }

    /// The next event; `nil` at the end.
    ///
    /// - Throws: `LupineError` when the server refuses the stream, the request is cancelled, or an event is too long.
    public mutating func next(isolation: isolated (any Actor)? = #isolation) async throws(LupineError)
      -> ServerSentEvent?
    {
      while true {
        if lines == nil, try await connect() == false { return nil }
        do throws(LupineError) {
          while let line = try await lines?.next(isolation: isolation) {
            if let event = try parser.take(line) { return event }
          }
        } catch {
          guard stream.reconnects, error.isLostConnection else { throw error }
        }
        lines = nil
        guard stream.reconnects else { return nil }
      }
    }

    /// Opens the next connection; false where the server wants no more.
    private mutating func connect() async throws(LupineError) -> Bool {
      while true {
        if !isFirst { try await stream.wait(parser.retry ?? stream.retry) }
        isFirst = false
        parser = parser.reconnected()
        let request = stream.connection(lastEventID: parser.lastEventID)
        let bytes = request.serializingBytes()
        do throws(LupineError) {
          let head = try await bytes.head
          if head.status.code == 204 { return false }
          lines = LineStream(base: bytes, limit: stream.limit).makeAsyncIterator()
          return true
        } catch {
          guard stream.reconnects, error.isLostConnection else { throw error }
        }
      }
    }
  }
}

extension EventStream {
  /// A request for the events after the last one that was seen.
  fileprivate func connection(lastEventID: String) -> DataStreamRequest {
    let description = task.description.map { request in
      var request = request
      request.headers[.accept] = request.headers[.accept] ?? "text/event-stream"
      request.headers[.cacheControl] = request.headers[.cacheControl] ?? "no-store"
      if !lastEventID.isEmpty, let name = HTTPField.Name("Last-Event-ID") { request.headers[name] = lastEventID }
      return request
    }
    let consumer = StreamConsumer(window: window)
    let connection = RequestTask(description, session: task.session, consumer: consumer)
    let settings = task.state.withLock { $0.settings }
    connection.state.withLock { state in
      state.settings = settings
      state.settings.validators.append(.statusCodes([200, 204]))
      state.settings.validators.append(.contentTypes(["text/event-stream"]))
    }
    return DataStreamRequest(connection, consumer)
  }

  fileprivate func wait(_ delay: Duration) async throws(LupineError) {
    do {
      try await task.session.clock.sleep(delay)
    } catch {
      throw LupineError(.cancelled, "The stream was cancelled before it connected again.", underlying: error)
    }
  }
}

extension LupineError {
  /// Whether a stream's connection was lost, so that another may succeed.
  fileprivate var isLostConnection: Bool {
    switch kind {
    case .connectionLost, .connectionRefused, .connectionFailed, .networkUnreachable, .hostNotFound, .timedOut: true
    default: false
    }
  }
}
