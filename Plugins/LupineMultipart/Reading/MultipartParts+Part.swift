public import FoundationEssentials
public import HTTPTypes
public import LupineCore
public import LupineSession

extension MultipartParts {
  /// A part that is arriving.
  public struct Part {
    /// What the part's fields say.
    public let headers: HTTPFields
    /// Which part this is, from 1.
    public let number: Int
    /// The part's content, as it arrives.
    public let body: PartBody
    let stream: MultipartStream

    /// The name that a form gives the part; `nil` where it has none.
    public var name: String? { ContentDisposition(headers[.contentDisposition] ?? "")["name"] }

    /// The file name that the sender gives the part, as it stands; it may hold path separators, so never open it unchecked.
    public var fileName: String? { ContentDisposition(headers[.contentDisposition] ?? "")["filename"] }

    /// Which bytes of a larger whole the part has; `nil` where it does not say so.
    public var contentRange: ContentRange? { headers[.contentRange].flatMap(ContentRange.init) }

    /// Gathers the content in memory.
    ///
    /// - Throws: `LupineError` of kind `limitExceeded(.multipart)` where it has more than `limit` bytes,
    ///   or as `MultipartParts`.
    public func data(limit: Int) async throws(LupineError) -> Data {
      var data = Data()
      while let bytes = try await stream.nextContent(of: number) {
        guard data.count + bytes.count <= limit else {
          throw LupineError(
            .limitExceeded(.multipart),
            "Part \(number) of the multipart has more than \(limit) bytes, the limit it was given.")
        }
        data.append(contentsOf: bytes)
      }
      return data
    }

    /// Reads the content as a multipart of its own.
    ///
    /// - Throws: `LupineError` of kind `serializationFailed` where the part is no multipart, or of kind `limitExceeded`
    ///   where it is nested too deep.
    public func parts() throws(LupineError) -> MultipartParts {
      let (stream, number) = (stream, number)
      return try MultipartParts(
        source: { () async throws(LupineError) in try await stream.nextContent(of: number) },
        contentType: headers[.contentType], limits: stream.limits, depth: stream.depth + 1)
    }
  }

  /// The content of a part, piece by piece.
  public struct PartBody: AsyncSequence {
    let stream: MultipartStream
    let number: Int

    /// Begins to read, or goes on where the last iterator stopped.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(stream: stream, number: number) }

    /// Reads piece after piece.
    public struct AsyncIterator: AsyncIteratorProtocol {
      let stream: MultipartStream
      let number: Int

      /// The next bytes; `nil` at the end of the part.
      ///
      /// - Throws: as `MultipartParts`, and kind `invalidRequest` where the next part has been asked for already.
      public mutating func next() async throws(LupineError) -> [UInt8]? { try await stream.nextContent(of: number) }
    }
  }
}
