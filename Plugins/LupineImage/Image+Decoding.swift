public import LupineCore
public import LupineFoundation

extension Image {
  /// Decodes a JPEG, PNG or WebP file.
  ///
  /// The function may take as long as `limits.duration`: do not call it on the main actor or on a transport's thread.
  ///
  /// - Parameters:
  ///   - data: the whole file.
  ///   - contentType: the media type that the server named; the first bytes of the file must agree with it. `nil` accepts
  ///     each format.
  ///   - filters: the filters of the result. A JPEG is decoded at a half, a quarter or an eighth of its size if that is
  ///     enough for the first one, which takes less time and memory.
  ///   - limits: the limits, which are checked before memory for pixels is allocated.
  ///   - clock: the clock of `limits.duration`. Default: a `ContinuousClock`.
  /// - Throws: kind `unsupportedImage` for another format, `unacceptableContentType` if the type does not agree,
  ///   `imageLimitExceeded` with an `ImageLimitExceeded` as `underlying`, `invalidImage`, or the error of a filter.
  public init(
    decoding data: Data, contentType: String? = nil, filters: [ImageFilter] = [], limits: ImageLimits = ImageLimits(),
    clock: any Clock<Duration> = ContinuousClock()
  ) throws(LupineError) {
    let decoder = ImageDecoder(limits: limits, watch: DecodingWatch(limits: limits, clock: SessionClock(clock)))
    self = try decoder.decode(data, contentType: contentType, covering: filters.first?.neededSize)
      .image.applying(filters)
  }
}
