import HTTPTypes
public import LupineCore
public import LupineSession

/// Parses a multipart response, such as several byte ranges of a file, into complete parts in memory.
public struct MultipartResponseSerializer: ResponseSerializer {
  private let limits: MultipartLimits

  /// Sets the limits of the multipart.
  public init(limits: MultipartLimits = MultipartLimits()) { self.limits = limits }

  /// Returns the parts in their order.
  ///
  /// - Throws: the errors of `ReceivedPart.parts(of:contentType:limits:)`.
  public func serialize(_ response: ReceivedResponse) throws(LupineError) -> [ReceivedPart] {
    try ReceivedPart.parts(of: response.data, contentType: response.head.headerFields[.contentType], limits: limits)
  }
}

extension ResponseSerializer where Self == MultipartResponseSerializer {
  /// The parts of a multipart response.
  public static var multipart: Self { Self() }
}

extension ValueRequest {
  /// Returns a task that parses a multipart response into its parts.
  public func serializingMultipart(limits: MultipartLimits = MultipartLimits()) -> DataTask<[ReceivedPart]> {
    serializingResponse(using: MultipartResponseSerializer(limits: limits))
  }
}
