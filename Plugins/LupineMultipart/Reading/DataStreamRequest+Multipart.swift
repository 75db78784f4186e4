import HTTPTypes
import LupineCore
public import LupineStreams

extension DataStreamRequest {
  /// The parts of a multipart response, one after the other, each with a body that streams.
  ///
  /// The request starts with the first part that is asked for, and is cancelled when the reading stops, also where that
  /// is at the multipart's end and the response goes on. See `MultipartParts` for what it throws.
  ///
  /// - Parameter limits: the most that is accepted.
  public func serializingMultipart(limits: MultipartLimits = MultipartLimits()) -> MultipartParts {
    let bytes = serializingBytes()
    let iterator = SourceIterator(bytes.makeAsyncIterator())
    return MultipartParts(source: { () async throws(LupineError) in try await iterator.next() }, limits: limits) {
      () async throws(LupineError) in try await bytes.head.headerFields[.contentType]
    }
  }
}
