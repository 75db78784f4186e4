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

  init(_ execution: RequestExecution, _ consumer: StreamConsumer, hasTaken: Bool = false) {
    self.execution = execution
    readers = StreamReaders(execution, consumer)
    self.hasTaken = hasTaken
  }

  var consumer: StreamConsumer { readers.consumer }
}

extension DataStreamRequest {
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
