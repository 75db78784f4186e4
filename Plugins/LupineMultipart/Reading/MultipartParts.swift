public import LupineCore

/// The parts of a multipart that is arriving, one after the other, each with a body that streams.
///
/// ```
/// for try await part in session.streamRequest("ranges").serializingMultipart() {
///   for try await bytes in part.body { … }
/// }
/// ```
///
/// Asking for the next part passes over what is left of the last one's body. The sequence can be read once, in one task.
/// It ends at the multipart's last delimiter: what may follow is not read.
public struct MultipartParts: AsyncSequence {
  /// Gives the next bytes of the whole; `nil` at their end.
  typealias Source = () async throws(LupineError) -> [UInt8]?

  private let stream: MultipartStream

  /// Gives the content type, which may be known only once the first bytes are there.
  typealias ContentType = () async throws(LupineError) -> String?

  init(
    source: @escaping Source, contentType: String?, limits: MultipartLimits, depth: Int
  ) throws(LupineError) {
    let parser = try MultipartStream.makeParser(contentType, limits, depth)
    stream = MultipartStream(limits: limits, depth: depth, source: source) { () async throws(LupineError) in parser }
  }

  /// Reads what tells its content type with its first bytes.
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
  ///   - limits: the most that is accepted.
  /// - Throws: `LupineError` of kind `serializationFailed` where that is no multipart type with a boundary.
  public init(
    _ body: ResponseBody, contentType: String?, limits: MultipartLimits = MultipartLimits()
  ) throws(LupineError) {
    try self.init(
      source: { () async throws(LupineError) in try await body.next() }, contentType: contentType, limits: limits,
      depth: 1)
  }

  /// Reads a stream of bytes, such as that of a request that streams its response.
  ///
  /// - Throws: `LupineError` of kind `serializationFailed` where the content type is no multipart type with a boundary.
  public init<Bytes: AsyncSequence>(
    _ bytes: Bytes, contentType: String?, limits: MultipartLimits = MultipartLimits()
  ) throws(LupineError) where Bytes.Element == [UInt8] {
    let iterator = SourceIterator(bytes.makeAsyncIterator())
    try self.init(
      source: { () async throws(LupineError) in try await iterator.next() }, contentType: contentType, limits: limits,
      depth: 1)
  }

  /// Begins to read, or goes on where the last iterator stopped.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(stream: stream) }

  /// Reads part after part.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let stream: MultipartStream

    /// The next part; `nil` at the end of the multipart.
    ///
    /// - Throws: `LupineError` of kind `serializationFailed` where the multipart is malformed or ends too early, of kind
    ///   `limitExceeded` over a limit, or what the source threw.
    public mutating func next() async throws(LupineError) -> Part? { try await stream.nextPart() }
  }
}
