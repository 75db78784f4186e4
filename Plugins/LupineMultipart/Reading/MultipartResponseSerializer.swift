import HTTPTypes
public import LupineCore
public import LupineSession

/// Makes the parts of a multipart response, complete and in memory, such as several byte ranges of a file.
public struct MultipartResponseSerializer: ResponseSerializer {
  private let limits: MultipartLimits

  /// Names the most that is accepted.
  public init(limits: MultipartLimits = MultipartLimits()) { self.limits = limits }

  /// Returns the parts in their order.
  ///
  /// - Throws: `LupineError` as `ReceivedPart.parts(of:contentType:limits:)`.
  public func serialize(_ response: ReceivedResponse) throws(LupineError) -> [ReceivedPart] {
    try ReceivedPart.parts(of: response.data, contentType: response.head.headerFields[.contentType], limits: limits)
  }
}

extension ResponseSerializer where Self == MultipartResponseSerializer {
  /// The parts of a multipart response.
  public static var multipart: Self { Self() }
}

extension ValueRequest {
  /// The parts of a multipart response, to be awaited.
  public func serializingMultipart(limits: MultipartLimits = MultipartLimits()) -> DataTask<[ReceivedPart]> {
    serializingResponse(using: MultipartResponseSerializer(limits: limits))
  }
}
