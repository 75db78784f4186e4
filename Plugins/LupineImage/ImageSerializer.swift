public import Dispatch
public import LupineCore
public import LupineSession

/// Decodes the body of a response as a picture.
///
/// It accepts the media types of `ImageFormat` alone. The first bytes decide the format and must agree with the type; a
/// response without a type is decoded by its first bytes.
///
/// ```swift
/// let image = try await session.request("lupine.jpeg").validate().serializingImage().value
/// ```
public struct ImageSerializer: ResponseSerializer {
  private let limits: ImageLimits
  private let filters: [ImageFilter]
  private let clock: any Clock<Duration>

  /// Creates a serializer.
  ///
  /// - Parameters:
  ///   - filters: the filters of the result. A JPEG is decoded at a smaller size if that is enough for the first one.
  ///   - limits: the limits; see `ImageLimits`. The session's `Limits.responseBody` bounds the file as well.
  ///   - clock: the clock of `limits.duration`. Default: a `ContinuousClock`.
  public init(
    filters: [ImageFilter] = [], limits: ImageLimits = ImageLimits(), clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.filters = filters
    self.limits = limits
    self.clock = clock
  }

  /// Returns the picture after the filters.
  ///
  /// - Throws: kind `emptyResponse` without a body, and the errors of `Image.init(decoding:contentType:filters:limits:clock:)`.
  public func serialize(_ response: ReceivedResponse) throws -> Image {
    guard response.hasData else {
      throw LupineError(.emptyResponse, "The response has no body to decode as a picture.")
    }
    return try Image(
      decoding: response.data, contentType: response.head.headerFields[.contentType], filters: filters, limits: limits,
      clock: clock)
  }
}

extension ResponseSerializer where Self == ImageSerializer {
  /// Decodes the body as a picture.
  public static var image: Self { ImageSerializer() }

  /// Decodes the body as a picture, with filters and limits.
  public static func image(filters: [ImageFilter] = [], limits: ImageLimits = ImageLimits()) -> Self {
    ImageSerializer(filters: filters, limits: limits)
  }
}

extension ValueRequest {
  /// Returns a task for the body as a picture.
  ///
  /// The file is decoded on a thread of Swift's pool, which other tasks cannot use meanwhile, for up to `limits.duration`.
  /// Use `ImageDownloader` for files of strangers.
  ///
  /// - Parameters:
  ///   - filters: the filters of the result.
  ///   - limits: the limits; see `ImageLimits`.
  public func serializingImage(filters: [ImageFilter] = [], limits: ImageLimits = ImageLimits()) -> DataTask<Image> {
    serializingResponse(using: ImageSerializer(filters: filters, limits: limits))
  }

  /// Calls the handler with the body as a picture, where `response(queue:completionHandler:)` does.
  ///
  /// The file is decoded on a thread of Swift's pool, which other tasks cannot use meanwhile, for up to `limits.duration`.
  /// Use `ImageDownloader` for files of strangers.
  @discardableResult
  public func responseImage(
    queue: DispatchQueue? = nil, filters: [ImageFilter] = [], limits: ImageLimits = ImageLimits(),
    completionHandler: @escaping @Sendable (DataResponse<Image>) -> Void
  ) -> Self {
    response(
      queue: queue, responseSerializer: ImageSerializer(filters: filters, limits: limits),
      completionHandler: completionHandler)
  }
}
