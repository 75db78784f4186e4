public import HTTPTypes
import LupineCoding
public import LupineCore
public import LupineSession

/// A request whose response is delivered as it arrives.
///
/// The head is validated before the first byte is delivered. The body has one consumer. While the consumer does not
/// read, the transport reads at most one window of the body, so memory use does not depend on the body's length. The
/// request is cancelled if the consumer stops or its task is cancelled. It is also cancelled if the program reads only
/// the head and then releases the request and its sequences.
public struct DataStreamRequest: SessionRequest {
  /// The execution that the copies share.
  public let execution: RequestExecution
  private let readers: StreamReaders
  /// Whether the body is already reserved for the sequences of this copy.
  let hasTaken: Bool
  /// The media ranges that a stream of events accepts besides `text/event-stream`.
  private(set) var eventTypes: [String] = []

  init(_ execution: RequestExecution, _ consumer: StreamConsumer, hasTaken: Bool = false) {
    self.execution = execution
    readers = StreamReaders(execution, consumer)
    self.hasTaken = hasTaken
  }

  var consumer: StreamConsumer { readers.consumer }
}

extension DataStreamRequest {
  /// Accepts Server-Sent Events of a service that names another media type than `text/event-stream`.
  ///
  /// ```swift
  /// let ticker = session.streamRequest("ticker").acceptingContentTypes(["text/plain"])
  /// for try await event in ticker.serializingEvents(reconnects: false) { print(event.data) }
  /// ```
  ///
  /// It applies to the events that are asked for afterwards. A response without `Content-Type` is accepted without this
  /// call. `Accept` is still `text/event-stream`, unless the request has the field.
  ///
  /// - Parameter ranges: media ranges such as `text/plain`, `text/*` or `*/*`; text that is not a media range is
  ///   ignored.
  public func acceptingContentTypes(_ ranges: some Sequence<String>) -> DataStreamRequest {
    var copy = self
    copy.eventTypes += ranges
    return copy
  }

  /// The body in the pieces in which it arrives.
  ///
  /// - Parameter limit: the maximum size of the body in bytes, after decoding; a longer body fails with kind
  ///   `limitExceeded(.sink)`. Default: no limit, because a stream does not accumulate the body.
  public func serializingBytes(limit: Int64? = nil) -> ByteStream {
    ByteStream(readers, limit: limit, hasTaken: hasTaken)
  }

  /// The body as UTF-8 text, piece by piece; an incomplete character at the end of a piece is kept for the next piece.
  ///
  /// Invalid UTF-8 becomes U+FFFD. A byte order mark at the start is removed.
  public func serializingStrings() -> TextStream { TextStream(base: serializingBytes()) }

  /// The body as UTF-8 lines, without their line ends: LF, CRLF or CR.
  ///
  /// A byte order mark at the start is removed.
  ///
  /// - Parameter limit: the maximum length of one line in bytes; a longer line fails with kind `limitExceeded`.
  ///   Default: 1 MiB.
  public func serializingLines(limit: Int = 1 << 20) -> LineStream {
    LineStream(base: serializingBytes(), limit: limit)
  }

  /// The body as JSON values, one on each line; empty lines are skipped.
  ///
  /// A line ends with LF or CRLF: a CR alone is white space in JSON. JSON that is not UTF-8 is an error (RFC 8259). A
  /// line that cannot be decoded ends the request with kind `serializationFailed`.
  ///
  /// - Parameter decoder: what decodes a line; `nil` means the session's decoder, which is JSON by default.
  public func serializingDecodableLines<Value: Decodable & Sendable>(
    of type: Value.Type = Value.self, decoder: (any DataDecoder)? = nil, limit: Int = 1 << 20
  ) -> DecodableLineStream<Value> {
    decodableLines(of: type, decoder, limit, nil)
  }

  /// The body as JSON values, one on each line, with service errors decoded as `Failure`.
  ///
  /// The service error is decoded from the body of a response that is refused at its head, or from the line that is no
  /// `Value`; see `serializingEvents(error:)`.
  public func serializingDecodableLines<Value: Decodable & Sendable, Failure: Error & Decodable & Sendable>(
    of type: Value.Type = Value.self, error: Failure.Type, decoder: (any DataDecoder)? = nil, limit: Int = 1 << 20
  ) -> DecodableLineStream<Value> {
    decodableLines(of: type, decoder, limit, failures(error, decoder))
  }

  func decodableLines<Value: Decodable & Sendable>(
    of type: Value.Type, _ decoder: (any DataDecoder)?, _ limit: Int, _ failures: (any FailureExplaining)?
  ) -> DecodableLineStream<Value> {
    let session = execution.session
    return DecodableLineStream(
      base: serializingBytes(), limit: limit, decoder: decoder ?? session.decodingDefaults.decoder,
      errorBodyLimit: session.limits.errorBody, failures: failures)
  }
}

extension DataStreamRequest {
  /// The argument of a stream's handler: the next value, or the end.
  public struct Stream<Value: Sendable>: Sendable {
    /// The event of the stream.
    public let event: Event
    let execution: RequestExecution

    /// The next value; `nil` at the end.
    public var value: Value? {
      if case .stream(let value) = event { value } else { nil }
    }

    /// The end; `nil` before it.
    public var completion: Completion? {
      if case .complete(let completion) = event { completion } else { nil }
    }

    /// The reason why the request failed; `nil` before the end, and if the request succeeded.
    public var error: LupineError? { completion?.error }

    /// Cancels the request: the handler receives only the end, and no further value.
    public func cancel() { execution.cancel() }

    func map<Other: Sendable>(_ transform: (Value) -> Other) -> Stream<Other> {
      switch event {
      case .stream(let value): Stream<Other>(event: .stream(transform(value)), execution: execution)
      case .complete(let completion): Stream<Other>(event: .complete(completion), execution: execution)
      }
    }

    /// An event of a stream.
    public enum Event: Sendable {
      /// The next value.
      case stream(Value)
      /// The end. Nothing comes after it.
      case complete(Completion)
    }
  }

  /// How a stream's request ended.
  public struct Completion: Sendable {
    /// The request as it was last sent; `nil` if it could not be made.
    public let request: OutgoingRequest?
    /// The head of the response, if one arrived.
    public let response: HTTPResponse?
    /// The trailers, if the body is complete and has trailers.
    public let trailers: HTTPFields?
    /// The metrics of the last exchange; `nil` if no transport was used.
    public let metrics: TransferMetrics?
    /// Why the request failed; `nil` if it succeeded.
    public let error: LupineError?

    /// - Parameter outcome: `nil` if another reader has the response.
    init(_ outcome: RequestOutcome?, error: LupineError?) {
      let cause = error ?? outcome?.error
      request = outcome?.request
      response = outcome?.head ?? cause?.response
      trailers = outcome?.response?.trailers
      metrics = outcome?.metrics ?? cause?.metrics
      self.error = cause
    }
  }
}

extension DataStreamRequest.Stream: CustomStringConvertible {
  /// The value, or how the request ended.
  public var description: String { event.description }
}

extension DataStreamRequest.Stream.Event: CustomStringConvertible {
  /// The value, or how the request ended.
  public var description: String {
    switch self {
    case .stream(let value): "\(value)"
    case .complete(let completion): completion.description
    }
  }
}

extension DataStreamRequest.Completion: ResponseMetadata {}

extension DataStreamRequest.Completion: HidesSecrets {
  /// The request, the status and the error, on one line, without secrets.
  public var description: String {
    let head = [request?.summary.description, response.map { "(\($0.status.code))" }].compactMap { $0 }
    return "\(head.joined(separator: " ")): \(error?.message ?? "complete")"
  }
}
