import LupineCoding
public import LupineCore
public import LupineSession

/// A request whose response is handed over as it arrives.
///
/// The head is validated before the first byte is handed over. One consumer takes the body; while it does not,
/// the transport reads no more than a window of it, so memory stays the same whatever the body's length. A consumer that
/// stops, or whose task is cancelled, cancels the request; so does whoever asks for the head alone and lets go of the
/// request and its sequences.
public struct DataStreamRequest: SessionRequest {
  /// The execution that the copies share.
  public let handle: RequestHandle
  private let readers: StreamReaders
  /// Whether the body has been taken for what reads through this copy.
  let hasTaken: Bool

  init(_ task: RequestExecution, _ consumer: StreamConsumer, hasTaken: Bool = false) {
    handle = RequestHandle(task: task)
    readers = StreamReaders(task, consumer)
    self.hasTaken = hasTaken
  }

  var consumer: StreamConsumer { readers.consumer }
}

extension DataStreamRequest {
  /// The body in the pieces in which it arrives.
  ///
  /// - Parameter limit: the most bytes in all, after decoding; more fail with kind `limitExceeded(.sink)`. Default: no
  ///   bound, since a stream takes no memory.
  public func serializingBytes(limit: Int64? = nil) -> ByteStream {
    ByteStream(readers, limit: limit, hasTaken: hasTaken)
  }

  /// The body as text, piece by piece in UTF-8; what is cut in the middle of a character waits for the rest of it.
  ///
  /// Bytes that are no UTF-8 become U+FFFD; a byte order mark at the start is left out.
  public func serializingStrings() -> TextStream { TextStream(base: serializingBytes()) }

  /// The body as lines, in UTF-8, without their ends: LF, CRLF or CR.
  ///
  /// A byte order mark at the start is left out.
  ///
  /// - Parameter limit: the most bytes of one line; a longer one fails with kind `limitExceeded`. Default: 1 MiB.
  public func serializingLines(limit: Int = 1 << 20) -> LineStream {
    LineStream(base: serializingBytes(), limit: limit)
  }

  /// The body as JSON values, one on each line; empty lines are passed over.
  ///
  /// A line ends with LF or CRLF: a CR alone is white space in JSON. JSON that is no UTF-8 is an error (RFC 8259). A line
  /// that is no such value ends the request with kind `serializationFailed`.
  ///
  /// - Parameter decoder: what decodes a line; `nil` means the session's, JSON unless told otherwise.
  public func serializingDecodableLines<Value: Decodable & Sendable>(
    of type: Value.Type = Value.self, decoder: (any DataDecoder)? = nil, limit: Int = 1 << 20
  ) -> DecodableLineStream<Value> {
    decodableLines(of: type, decoder, limit, nil)
  }

  /// The same, with the error that the service describes in the body of a response that is refused at its head, or in the
  /// line that is no `Value`; see `serializingEvents(error:)`.
  public func serializingDecodableLines<Value: Decodable & Sendable, Failure: Error & Decodable & Sendable>(
    of type: Value.Type = Value.self, error: Failure.Type, decoder: (any DataDecoder)? = nil, limit: Int = 1 << 20
  ) -> DecodableLineStream<Value> {
    decodableLines(of: type, decoder, limit, failures(error, decoder))
  }

  func decodableLines<Value: Decodable & Sendable>(
    of type: Value.Type, _ decoder: (any DataDecoder)?, _ limit: Int, _ failures: ServiceErrorReader?
  ) -> DecodableLineStream<Value> {
    let configuration = task.session.configuration
    return DecodableLineStream(
      base: serializingBytes(), limit: limit, decoder: decoder ?? configuration.decodingDefaults.decoder,
      errorBodyLimit: configuration.limits.errorBody, failures: failures)
  }
}
