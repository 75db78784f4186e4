import HTTPTypes
import LupineCore
public import LupineStreams

extension DataStreamRequest {
  /// Returns the parts of a multipart response in sequence, each with a streamed body.
  ///
  /// The request starts when the first part is requested. It is cancelled when the reading stops, including at the end
  /// of the multipart if the response continues. See `MultipartParts` for the errors.
  ///
  /// - Parameter limits: the limits of the multipart.
  public func serializingMultipart(limits: MultipartLimits = MultipartLimits()) -> MultipartParts {
    let bytes = serializingBytes()
    let iterator = SourceIterator(bytes.makeAsyncIterator())
    return MultipartParts(source: { () async throws(LupineError) in try await iterator.next() }, limits: limits) {
      () async throws(LupineError) in try await bytes.head.headerFields[.contentType]
    }
  }
}
