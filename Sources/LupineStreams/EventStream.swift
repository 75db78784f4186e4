import HTTPTypes
import LupineCoding
public import LupineCore
import LupineSession

extension DataStreamRequest {
  /// The body as Server-Sent Events (WHATWG HTML, section 9.2), reconnecting when the connection ends.
  ///
  /// The request is sent with `Accept: text/event-stream`, and again with `Last-Event-ID` after the time the server asks
  /// for, on the session's clock, until the server answers 204 or the consumer stops. A request that is not idempotent, as
  /// a POST, or whose body can be sent only once, is sent once unless told otherwise: the server's end is then the end of
  /// the events, and a lost connection their error. Another status than 200, or another media type, ends the stream with
  /// an error. So does the total timeout, which counts from the first connection on. Each connection has these settings;
  /// to monitors it is another attempt of this request, and each wait is a `retrying` with its reason. A `Last-Event-ID`
  /// of the request's own is what the first connection begins with.
  ///
  /// Its bodies have no progress: the handlers of `uploadProgress` and `downloadProgress` are not called.
  ///
  /// The stream has the request to itself from this call on; to let go of it, read or not, cancels the request.
  ///
  /// The wait is never shorter than 100 ms. While no event comes it is drawn from up to twice as long each time, until 30
  /// seconds, or what the server asks for where that is longer.
  ///
  /// - Parameters:
  ///   - reconnects: whether to connect again; `nil` means where the request, as the program described it, is idempotent by
  ///     its method, its options or its `Idempotency-Key`, and its body can be sent again. Default: `nil`.
  ///   - retry: the time before a reconnection where the server names none. Default: 3 seconds.
  ///   - reconnectionLimit: how many reconnections in a row may bring no event; then the stream fails with the reason of
  ///     the last, or with kind `connectionLost`. Default: no limit, as a stream may be quiet for long and the waits grow.
  ///   - limit: the most bytes of one event. Default: 1 MiB.
  public func serializingEvents(
    reconnects: Bool? = nil, retry: Duration = .seconds(3), reconnectionLimit: Int? = nil, limit: Int = 1 << 20
  ) -> EventStream {
    events(nil, reconnects, retry, reconnectionLimit, limit)
  }

  /// The same, with the error that the service describes in the body of a response that is no stream of events.
  ///
  /// Where the status or the media type is refused, the first bytes of the body are read and decoded as `Failure`. The
  /// `LupineError` that is thrown is the refusal; its `serviceError(as:)` is the service's error, and so is its
  /// `underlying`. A body that is no `Failure`, or that `Limits.errorBody` has cut, leaves the refusal as it is.
  ///
  /// - Parameter decoder: what decodes it; `nil` means the session's, JSON unless told otherwise.
  public func serializingEvents<Failure: Error & Decodable & Sendable>(
    error: Failure.Type, decoder: (any DataDecoder)? = nil, reconnects: Bool? = nil, retry: Duration = .seconds(3),
    reconnectionLimit: Int? = nil, limit: Int = 1 << 20
  ) -> EventStream {
    events(failures(error, decoder), reconnects, retry, reconnectionLimit, limit)
  }

  func failures<Failure: Error & Decodable & Sendable>(
    _ type: Failure.Type, _ decoder: (any DataDecoder)?
  ) -> ServiceErrorReader {
    task.session.configuration.decodingDefaults.failures(type, decoder)
  }

  func events(
    _ failures: ServiceErrorReader?, _ reconnects: Bool?, _ retry: Duration, _ reconnectionLimit: Int?, _ limit: Int
  ) -> EventStream {
    let source = ServerSentEventConnection(task, consumer, hasTaken: hasTaken)
    let refusal = Reconnection.Refusal(source.described, reconnects: reconnects)
    return EventStream(
      source: source, reconnection: Reconnection(refusal: refusal, retry: retry, limit: reconnectionLimit),
      limit: limit, failures: failures)
  }
}

/// Server-Sent Events, over as many connections as it takes.
///
/// It can be iterated once.
public struct EventStream: AsyncSequence, Sendable {
  /// One event.
  public typealias Element = ServerSentEvent

  let source: ServerSentEventConnection
  let reconnection: Reconnection
  let limit: Int
  let failures: ServiceErrorReader?

  /// Begins to read; the request starts with the first event that is asked for.
  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// Reads the events in order.
  public struct Iterator: AsyncIteratorProtocol {
    private let stream: EventStream
    private var parser: ServerSentEventParser
    private var reconnection: Reconnection
    private var lines: LineStream.Iterator?
    private var reading: EventReading?
    private var isOver = false
    /// Why a lost connection is the last.
    private var refusal: String?

    init(_ stream: EventStream) {
      self.stream = stream
      parser = ServerSentEventParser(lastEventID: stream.source.firstEventID, limit: stream.limit)
      reconnection = stream.reconnection
    }

    /// The next event; `nil` at the end.
    ///
    /// - Throws: `LupineError` when the server refuses the stream, the request is cancelled, or an event is too long.
    public mutating func next(isolation: isolated (any Actor)? = #isolation) async throws(LupineError)
      -> ServerSentEvent?
    {
      if isOver { return nil }
      do throws(LupineError) {
        if let event = try await event(isolation: isolation) { return event }
        isOver = true
        if let reading { await reading.source.end(nil) }
        return nil
      } catch {
        isOver = true
        let reason = stream.source.reason ?? stream.failures?.explained(error) ?? error
        let end = await reading?.source.end(reason, refusal: refusal)
        lines = nil
        throw end ?? reason
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
            try await stream.source.passGate()
          }
          reconnection.ended(nil)
        } catch {
          try lost(error)
        }
        lines = nil
        guard reconnection.refusal == nil else { return nil }
      }
    }

    /// Opens the next connection; false where the server wants no more.
    private mutating func connect() async throws(LupineError) -> Bool {
      while true {
        if reading == nil {
          try await stream.source.begin()
          reading = EventReading(stream.source)
        } else {
          try await stream.source.wait(in: nextWait(), because: reconnection.reason)
        }
        parser = parser.reconnected()
        let bytes = stream.source.connection(lastEventID: parser.lastEventID).serializingBytes()
        do throws(LupineError) {
          let head = try await bytes.head
          stream.source.opened(head)
          if head.status.code == 204 {
            var rest = bytes.makeAsyncIterator()
            while try await rest.next() != nil {}
            return false
          }
          // What is pending where the stream ends is discarded (WHATWG, 9.2.6).
          lines = LineStream(base: bytes, limit: stream.limit, hasLastLine: false).makeAsyncIterator()
          return true
        } catch {
          try lost(error)
        }
      }
    }

    /// Goes on from a lost connection; throws what another connection cannot mend.
    private mutating func lost(_ error: LupineError) throws(LupineError) {
      guard error.isLostConnection else { throw error }
      refusal = reconnection.refusal?.rawValue
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
