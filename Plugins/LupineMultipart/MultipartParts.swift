public import HTTPTypes
public import LupineCore
public import LupineFoundation
public import LupineSession
public import LupineStreams
import LupineSupport

/// The parts of a multipart in sequence, each with a streamed body.
///
/// ```swift
/// for try await part in session.streamRequest("ranges").serializingMultipart() {
///   for try await bytes in part.body { print(bytes.count) }
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
    let iterator = IteratorReference(bytes.makeAsyncIterator())
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

extension MultipartParts {
  /// A part whose content streams.
  public struct Part {
    /// The part's fields.
    public let headers: HTTPFields
    /// The number of the part, from 1.
    public let number: Int
    /// The part's content, as it arrives.
    public let body: PartBody
    let stream: MultipartStream

    /// The name of the form field; `nil` if there is none.
    public var name: String? { ContentDisposition(headers[.contentDisposition] ?? "")["name"] }

    /// The file name from the sender, unchecked; `nil` if there is none.
    ///
    /// It may contain path separators. Do not use it as a path without a check.
    public var fileName: String? { ContentDisposition(headers[.contentDisposition] ?? "")["filename"] }

    /// The value of `Content-Range`; `nil` if it is absent or invalid.
    public var contentRange: ContentRange? { headers.singleton(.contentRange).flatMap(ContentRange.init) }

    /// Collects the content in memory.
    ///
    /// - Throws: `LupineError` of kind `limitExceeded(.multipart)` if the content has more than `limit` bytes, and the
    ///   errors of `MultipartParts`.
    public func data(limit: Int) async throws(LupineError) -> Data {
      var data = Data()
      while let bytes = try await stream.nextContent(of: number) {
        guard data.count + bytes.count <= limit else {
          throw LupineError(
            .limitExceeded(.multipart),
            "Part \(number) of the multipart has more than \(limit) bytes, the given limit.")
        }
        data.append(contentsOf: bytes)
      }
      return data
    }

    /// Reads the content as a nested multipart.
    ///
    /// - Throws: `LupineError` of kind `serializationFailed` if the part is not a multipart, or of kind
    ///   `limitExceeded(.nesting)` if it is nested too deep.
    public func parts() throws(LupineError) -> MultipartParts {
      let (stream, number) = (stream, number)
      return try MultipartParts(
        source: { () async throws(LupineError) in try await stream.nextContent(of: number) },
        contentType: headers.singleton(.contentType), limits: stream.limits, depth: stream.depth + 1)
    }
  }

  /// The content of a part, in pieces.
  public struct PartBody: AsyncSequence {
    let stream: MultipartStream
    let number: Int

    /// Returns an iterator that continues where the last one stopped.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(stream: stream, number: number) }

    /// Reads the pieces of a part's content.
    public struct AsyncIterator: AsyncIteratorProtocol {
      let stream: MultipartStream
      let number: Int

      /// Returns the next bytes; `nil` at the end of the part.
      ///
      /// - Throws: the errors of `MultipartParts`, and kind `invalidRequest` if the next part has been requested
      ///   already.
      public mutating func next() async throws(LupineError) -> [UInt8]? { try await stream.nextContent(of: number) }
    }
  }
}

extension DataStreamRequest {
  /// Returns the parts of a multipart response in sequence, each with a streamed body.
  ///
  /// The request starts when the first part is requested. It is cancelled when the reading stops, including at the end
  /// of the multipart if the response continues. See `MultipartParts` for the errors.
  ///
  /// - Parameter limits: the limits of the multipart.
  public func serializingMultipart(limits: MultipartLimits = MultipartLimits()) -> MultipartParts {
    let bytes = serializingBytes()
    let iterator = IteratorReference(bytes.makeAsyncIterator())
    return MultipartParts(source: { () async throws(LupineError) in try await iterator.next() }, limits: limits) {
      () async throws(LupineError) in try await bytes.head.headerFields.singleton(.contentType)
    }
  }
}

/// A reference to an iterator, so that a closure can call its mutating `next`.
final class IteratorReference<Base: AsyncIteratorProtocol> where Base.Element == [UInt8] {
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
