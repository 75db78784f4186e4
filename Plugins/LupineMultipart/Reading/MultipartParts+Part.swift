public import FoundationEssentials
public import HTTPTypes
public import LupineCore
public import LupineSession

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
    public var contentRange: ContentRange? { headers[.contentRange].flatMap(ContentRange.init) }

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
            "Part \(number) of the multipart has more than \(limit) bytes, the limit it was given.")
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
        contentType: headers[.contentType], limits: stream.limits, depth: stream.depth + 1)
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
