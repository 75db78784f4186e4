public import LupineCore

/// The parts of a multipart in sequence, each with a streamed body.
///
/// ```
/// for try await part in session.streamRequest("ranges").serializingMultipart() {
///   for try await bytes in part.body { … }
/// }
/// ```
///
/// A request for the next part skips the rest of the current part's body. The sequence can be read once, in one task.
/// It ends at the multipart's last delimiter; bytes after that are not read.
public struct MultipartParts: AsyncSequence {
  /// Returns the next bytes of the multipart; `nil` at the end.
  typealias Source = () async throws(LupineError) -> [UInt8]?

  private let stream: MultipartStream

  /// Returns the content type, which may be unknown until the first bytes have arrived.
  typealias ContentType = () async throws(LupineError) -> String?

  init(
    source: @escaping Source, contentType: String?, limits: MultipartLimits, depth: Int
  ) throws(LupineError) {
    let parser = try MultipartStream.makeParser(contentType, limits, depth)
    stream = MultipartStream(limits: limits, depth: depth, source: source) { () async throws(LupineError) in parser }
  }

  /// Reads a source whose content type is known after its first bytes.
  init(source: @escaping Source, limits: MultipartLimits, contentType: @escaping ContentType) {
    stream = MultipartStream(limits: limits, depth: 1, source: source) { () async throws(LupineError) in
      try MultipartStream.makeParser(try await contentType(), limits, 1)
    }
  }

  /// Reads a response's body.
  ///
  /// - Parameters:
  ///   - body: a body whose sink is a stream.
  ///   - contentType: the response's content type, which names the boundary.
  ///   - limits: the limits of the multipart.
  /// - Throws: `LupineError` of kind `serializationFailed` if the content type is not a multipart type with a boundary.
  public init(
    _ body: ResponseBody, contentType: String?, limits: MultipartLimits = MultipartLimits()
  ) throws(LupineError) {
    try self.init(
      source: { () async throws(LupineError) in try await body.next() }, contentType: contentType, limits: limits,
      depth: 1)
  }

  /// Reads a stream of bytes, such as that of a request that streams its response.
  ///
  /// - Throws: `LupineError` of kind `serializationFailed` if the content type is not a multipart type with a boundary.
  public init<Bytes: AsyncSequence>(
    _ bytes: Bytes, contentType: String?, limits: MultipartLimits = MultipartLimits()
  ) throws(LupineError) where Bytes.Element == [UInt8] {
    let iterator = SourceIterator(bytes.makeAsyncIterator())
    try self.init(
      source: { () async throws(LupineError) in try await iterator.next() }, contentType: contentType, limits: limits,
      depth: 1)
  }

  /// Returns an iterator that continues where the last one stopped.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(stream: stream) }

  /// Reads the parts in sequence.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let stream: MultipartStream

    /// Returns the next part; `nil` at the end of the multipart.
    ///
    /// - Throws: `LupineError` of kind `serializationFailed` if the multipart is malformed or ends too early, of kind
    ///   `limitExceeded` if it exceeds a limit, or the error of the source.
    public mutating func next() async throws(LupineError) -> Part? { try await stream.nextPart() }
  }
}
