public import LupineCore

/// The parts of a multipart that is arriving, one after the other, each with a body that streams.
///
/// ```
/// for try await part in try MultipartParts(body, contentType: response.headerFields[.contentType]) {
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

  init(source: @escaping Source, boundary: String, limits: MultipartLimits, depth: Int) throws(LupineError) {
    guard depth <= limits.nesting else {
      throw LupineError(
        .limitExceeded(.nesting),
        "Multiparts are nested more than \(limits.nesting) levels deep, the limit MultipartLimits.nesting.")
    }
    let parser = try MultipartParser(boundary: boundary, limits: limits)
    stream = MultipartStream(parser: parser, limits: limits, depth: depth, source: source)
  }

  /// Reads a response's body.
  ///
  /// - Parameters:
  ///   - body: a body whose sink is a stream.
  ///   - contentType: the response's content type, which names the boundary.
  ///   - limits: the most that is accepted.
  /// - Throws: `LupineError` of kind `serializationFailed` where that is no multipart type with a boundary.
  public init(
    _ body: IncomingBody, contentType: String?, limits: MultipartLimits = MultipartLimits()
  ) throws(LupineError) {
    try self.init(
      source: { () async throws(LupineError) in try await body.next() },
      boundary: MultipartBoundary.inContentType(contentType), limits: limits, depth: 1)
  }

  /// Reads a stream of bytes, such as that of a request that streams its response.
  ///
  /// - Throws: `LupineError` of kind `serializationFailed` where the content type is no multipart type with a boundary.
  public init<Bytes: AsyncSequence>(
    _ bytes: Bytes, contentType: String?, limits: MultipartLimits = MultipartLimits()
  ) throws(LupineError) where Bytes.Element == [UInt8] {
    let iterator = SourceIterator(bytes.makeAsyncIterator())
    try self.init(
      source: { () async throws(LupineError) in try await iterator.next() },
      boundary: MultipartBoundary.inContentType(contentType), limits: limits, depth: 1)
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

/// Holds an iterator whose `next` changes it.
private final class SourceIterator<Base: AsyncIteratorProtocol> where Base.Element == [UInt8] {
  private var base: Base

  init(_ base: Base) { self.base = base }

  func next() async throws(LupineError) -> [UInt8]? {
    do {
      return try await base.next(isolation: #isolation)
    } catch let error as LupineError {
      throw error
    } catch {
      throw LupineError(.other, "The bytes of the multipart could not be read: \(error).", underlying: error)
    }
  }
}

extension MultipartBoundary {
  /// The boundary that a content type names.
  static func inContentType(_ contentType: String?) throws(LupineError) -> String {
    let text = contentType ?? ""
    guard text.lowercased().hasPrefix("multipart/"), let boundary = MediaTypeText.parameter("boundary", of: text) else {
      throw LupineError(
        .serializationFailed,
        "The content type \"\(text.prefix(200).escapingControls())\" is not that of a multipart with a boundary.")
    }
    return boundary
  }
}
