import HTTPTypes
import LupineCoding
public import LupineCore
import LupineSession

extension DataStreamRequest {
  /// The body as Server-Sent Events (WHATWG HTML, section 9.2), reconnecting when the connection ends.
  ///
  /// The request is sent with `Accept: text/event-stream`. A reconnection sends `Last-Event-ID` after the time that the
  /// server asks for, measured on the session's clock. Reconnections end when the server answers 204 or the consumer
  /// stops.
  ///
  /// By default, a request is sent only once if it is not idempotent, such as a POST, or if its body can be sent only
  /// once. Then the events end when the server ends the response, and a lost connection is an error.
  ///
  /// A status other than 200, another media type or the total timeout ends the stream with an error. A response without
  /// `Content-Type` is accepted, and `acceptingContentTypes(_:)` accepts other media types. Of a list of media types the
  /// last one counts (WHATWG Fetch, section 2.2.2). The total timeout counts from the first connection. Each connection
  /// has the settings of this request. Monitors see each connection as another attempt of this request, and each wait as a
  /// `retrying` event with its reason. If the request has a `Last-Event-ID` field, the first connection sends it.
  ///
  /// The bodies report no progress: the handlers of `uploadProgress` and `downloadProgress` are not called.
  ///
  /// This call reserves the body of the request for the stream. Releasing the stream cancels the request, whether the
  /// stream was read or not.
  ///
  /// The wait is at least 100 ms. While no event arrives, the wait is random and its upper bound doubles each time, to
  /// at most 30 seconds or the time that the server asks for, whichever is longer.
  ///
  /// - Parameters:
  ///   - reconnects: whether to reconnect; `nil` means yes if the request, as the program described it, is idempotent
  ///     by its method, its options or its `Idempotency-Key`, and its body can be sent again. Default: `nil`.
  ///   - retry: the time before a reconnection if the server sends none. Default: 3 seconds.
  ///   - reconnectionLimit: the maximum number of consecutive reconnections without an event; then the stream fails
  ///     with the reason of the last one, or with kind `connectionLost`. Default: no limit, because a stream may be
  ///     quiet for long and the waits grow.
  ///   - limit: the maximum size of one event in bytes. Default: 1 MiB.
  public func serializingEvents(
    reconnects: Bool? = nil, retry: Duration = .seconds(3), reconnectionLimit: Int? = nil, limit: Int = 1 << 20
  ) -> EventStream {
    events(nil, reconnects, retry, reconnectionLimit, limit)
  }

  /// The body as Server-Sent Events, with service errors decoded as `Failure`.
  ///
  /// If the status or the media type is refused, the first bytes of the body are decoded as `Failure`. The thrown
  /// `LupineError` describes the refusal; its `serviceError(as:)` and its `underlying` return the service error. The
  /// refusal is unchanged if the body is no `Failure` or is cut by `Limits.errorBody`.
  ///
  /// - Parameter decoder: what decodes the body; `nil` means the session's decoder, which is JSON by default.
  public func serializingEvents<Failure: Error & Decodable & Sendable>(
    error: Failure.Type, decoder: (any DataDecoder)? = nil, reconnects: Bool? = nil, retry: Duration = .seconds(3),
    reconnectionLimit: Int? = nil, limit: Int = 1 << 20
  ) -> EventStream {
    events(failures(error, decoder), reconnects, retry, reconnectionLimit, limit)
  }

  func failures<Failure: Error & Decodable & Sendable>(
    _ type: Failure.Type, _ decoder: (any DataDecoder)?
  ) -> any FailureExplaining {
    execution.session.decodingDefaults.serviceErrorReader(of: type, decoder: decoder)
  }

  func events(
    _ failures: (any FailureExplaining)?, _ reconnects: Bool?, _ retry: Duration, _ reconnectionLimit: Int?,
    _ limit: Int
  ) -> EventStream {
    EventStream(
      connections: EventConnections(execution, consumer, accepting: eventTypes, hasTaken: hasTaken),
      reconnects: reconnects,
      reconnection: Reconnection(retry: retry, limit: reconnectionLimit), limit: limit, failures: failures)
  }
}

/// Server-Sent Events from one or more connections.
///
/// The sequence can be iterated once.
public struct EventStream: AsyncSequence, Sendable {
  /// One event.
  public typealias Element = ServerSentEvent

  let connections: EventConnections
  /// See `serializingEvents`.
  let reconnects: Bool?
  let reconnection: Reconnection
  let limit: Int
  let failures: (any FailureExplaining)?

  /// Returns the iterator; the request starts when the first event is read.
  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// Reads the events in order.
  public struct Iterator: AsyncIteratorProtocol {
    private let stream: EventStream
    private var parser: ServerSentEventParser
    private var reconnection: Reconnection
    /// Before `lines`, because the release of the iterator ends the request before it drops the current body.
    private var reading: EventReading?
    private var lines: LineStream.Iterator?
    private var isOver = false
    /// Why there is no reconnection after a lost connection.
    private var refusal: String?

    init(_ stream: EventStream) {
      self.stream = stream
      parser = ServerSentEventParser(lastEventID: stream.connections.firstEventID, limit: stream.limit)
      reconnection = stream.reconnection
    }

    /// The next event; `nil` at the end.
    ///
    /// - Throws: `LupineError` if the server refuses the stream, the request is cancelled, an event is too long, or a
    ///   connection is lost and the stream does not reconnect.
    public mutating func next(isolation: isolated (any Actor)? = #isolation) async throws(LupineError)
      -> ServerSentEvent?
    {
      if isOver { return nil }
      do throws(LupineError) {
        if let event = try await event(isolation: isolation) { return event }
        isOver = true
        await reading?.connections.end(nil)
        return nil
      } catch {
        isOver = true
        let explained = stream.failures?.explained(error) ?? error
        let end = await reading?.connections.end(explained, refusal: refusal)
        lines = nil
        throw end ?? explained
      }
    }

    private mutating func event(isolation: isolated (any Actor)?) async throws(LupineError) -> ServerSentEvent? {
      while true {
        if lines == nil, try await connect() == false { return nil }
        do throws(LupineError) {
          while let line = try await lines?.next(isolation: isolation) {
            if let event = try parser.take(line) {
              reconnection.delivered()
              return event
            }
            try await stream.connections.waitWhileSuspended()
          }
          reconnection.ended(nil)
        } catch {
          try lost(error)
        }
        lines = nil
        guard stream.connections.refusal(stream.reconnects) == nil else { return nil }
      }
    }

    /// Opens the next connection; returns false if the server answers 204.
    private mutating func connect() async throws(LupineError) -> Bool {
      while true {
        if reading == nil {
          try stream.connections.begin()
          reading = EventReading(stream.connections)
        } else {
          try await stream.connections.ended()
          let range = try nextWait()
          stream.connections.reconnect(after: parser.lastEventID, in: range, because: reconnection.reason)
        }
        parser = parser.reconnected()
        do throws(LupineError) {
          let (head, bytes) = try await stream.connections.open()
          if head.status.code == 204 {
            var rest = bytes
            while try await rest.next() != nil {}
            return false
          }
          // An incomplete event at the end of the stream is discarded (WHATWG HTML, section 9.2.6).
          lines = LineStream.Iterator(bytes, limit: stream.limit, hasLastLine: false)
          return true
        } catch {
          try lost(error)
        }
      }
    }

    /// Prepares a reconnection after a lost connection; throws errors that a reconnection cannot repair.
    private mutating func lost(_ error: LupineError) throws(LupineError) {
      guard error.isLostConnection else { throw error }
      refusal = stream.connections.refusal(stream.reconnects)?.rawValue
      guard refusal == nil else { throw error }
      reconnection.ended(error)
    }

    private mutating func nextWait() throws(LupineError) -> ClosedRange<Duration> {
      do throws(LupineError) {
        return try reconnection.nextWait(parser.retry)
      } catch {
        refusal = "the limit of reconnections without an event is reached"
        throw error
      }
    }
  }
}
