public import LupineCore

/// Makes a picture of another one, under a name that is the same for equal filters.
///
/// Filters are applied in the order of their array. Their names are part of the key under which `ImageDownloader` stores
/// a result, so two filters that make different pictures must have different names.
///
/// ```swift
/// extension ImageFilter {
///   /// Makes the picture grey.
///   static var grey: ImageFilter {
///     ImageFilter(name: "grey") { image throws(LupineError) in
///       var pixels = image.pixels
///       for start in stride(from: 0, to: pixels.count, by: 4) {
///         let mean = (Int(pixels[start]) + Int(pixels[start + 1]) + Int(pixels[start + 2])) / 3
///         for channel in 0..<3 { pixels[start + channel] = UInt8(mean) }
///       }
///       return try Image(width: image.width, height: image.height, pixels: pixels)
///     }
///   }
/// }
/// ```
public struct ImageFilter: Sendable {
  /// The name, with the filter's parameters, such as `aspectFit(400×400)`.
  public let name: String
  /// The size of the picture that the filter needs, from the size of the file; `nil` if it needs every pixel.
  let neededSize: (@Sendable (ImageSize) -> ImageSize)?
  private let change: @Sendable (Image) throws(LupineError) -> Image

  /// Creates a filter.
  ///
  /// - Parameters:
  ///   - name: the same for equal filters, different for others.
  ///   - change: returns the new picture. `ImageDownloader` calls it on one of its decoding threads.
  public init(name: String, _ change: @escaping @Sendable (Image) throws(LupineError) -> Image) {
    self.init(name: name, neededSize: nil, change)
  }

  init(
    name: String, neededSize: (@Sendable (ImageSize) -> ImageSize)?,
    _ change: @escaping @Sendable (Image) throws(LupineError) -> Image
  ) {
    self.name = name
    self.neededSize = neededSize
    self.change = change
  }

  /// Returns the new picture.
  public func apply(to image: Image) throws(LupineError) -> Image { try change(image) }
}

extension Image {
  /// Returns the picture after all filters, in their order.
  public func applying(_ filters: [ImageFilter]) throws(LupineError) -> Image {
    var image = self
    for filter in filters { image = try filter.apply(to: image) }
    return image
  }
}

extension ImageFilter: CustomStringConvertible {
  /// The name.
  public var description: String { name }
}

/// Each side of a size has 1 to 1,000,000 pixels; other numbers are clamped. A result may have 64 million pixels; a
/// filter that would make more throws kind `imageLimitExceeded`.
extension ImageFilter {
  /// Scales to the size, and distorts the picture if its shape differs.
  public static func scaled(width: Int, height: Int) -> ImageFilter {
    let size = ImageSize(clamping: width, height)
    let name = "scaled(\(size.name))"
    return ImageFilter(name: name, neededSize: { _ in size }) { image throws(LupineError) in
      try image.scaled(to: size, by: name)
    }
  }

  /// Scales to the largest size of the same shape within this one.
  ///
  /// - Parameter enlarging: whether a smaller picture is enlarged. Default: `false`.
  public static func aspectFit(width: Int, height: Int, enlarging: Bool = false) -> ImageFilter {
    let bounds = ImageSize(clamping: width, height)
    let name = "aspectFit(\(bounds.name)\(enlarging ? ",enlarging" : ""))"
    let fitted = { @Sendable (size: ImageSize) in
      !enlarging && bounds.covers(size) ? size : size.fitted(in: bounds)
    }
    return ImageFilter(name: name, neededSize: fitted) { image throws(LupineError) in
      try image.scaled(to: fitted(image.size), by: name)
    }
  }

  /// Cuts off equal parts at opposite sides, so that the picture has the shape of the size, and scales it to the size.
  public static func aspectFill(width: Int, height: Int) -> ImageFilter {
    let size = ImageSize(clamping: width, height)
    let name = "aspectFill(\(size.name))"
    return ImageFilter(name: name, neededSize: { $0.filling(size) }) { image throws(LupineError) in
      try image.scaled(to: size, part: image.size.part(shapedLike: size), by: name)
    }
  }

  /// Makes the corners transparent outside a quarter of a circle.
  ///
  /// - Parameter radius: the radius in pixels; at most half of the shorter side is used.
  public static func roundedCorners(radius: Int) -> ImageFilter {
    let radius = max(radius, 0)
    return ImageFilter(name: "roundedCorners(\(radius))") { image throws(LupineError) in
      image.withRoundedCorners(radius: Double(radius))
    }
  }

  /// Cuts the largest square out of the centre, and makes it transparent outside its inscribed circle.
  public static var circle: ImageFilter {
    ImageFilter(name: "circle") { image throws(LupineError) in
      let side = min(image.width, image.height)
      let square = image.croppedAroundCentre(to: ImageSize(width: side, height: side))
      return square.withRoundedCorners(radius: Double(side) / 2)
    }
  }
}

extension Image {
  /// The number of pixels that a filter may make.
  private static let maximumPixels = 64_000_000

  /// Scales the picture, or the part around its centre.
  fileprivate func scaled(
    to size: ImageSize, part: ImageSize? = nil, by name: String
  ) throws(LupineError) -> Image {
    if size.pixelCount > Self.maximumPixels {
      throw LupineError(
        .imageLimitExceeded,
        "The filter \(name) makes \(size) pixels, more than the limit of \(Self.maximumPixels) pixels for a result.",
        underlying: ImageLimitExceeded(limit: .pixels))
    }
    return Scaling.scale(self, part: part ?? self.size, to: size)
  }
}

extension ImageSize {
  /// Creates a size for a filter, with which its calculations do not overflow.
  fileprivate init(clamping width: Int, _ height: Int) {
    self.init(width: min(max(width, 1), 1_000_000), height: min(max(height, 1), 1_000_000))
  }

  /// The size in names of filters.
  fileprivate var name: String { "\(width)×\(height)" }

  /// The largest size of the same shape within the bounds.
  func fitted(in bounds: ImageSize) -> ImageSize {
    let isWide = width * bounds.height >= height * bounds.width
    return isWide
      ? ImageSize(width: bounds.width, height: max(1, (height * bounds.width + width / 2) / width))
      : ImageSize(width: max(1, (width * bounds.height + height / 2) / height), height: bounds.height)
  }

  /// The largest part with the shape of the other size, rounded to whole pixels.
  func part(shapedLike other: ImageSize) -> ImageSize {
    let isWide = width * other.height >= height * other.width
    return isWide
      ? ImageSize(
        width: min(width, max(1, (height * other.width + other.height / 2) / other.height)), height: height)
      : ImageSize(
        width: width, height: min(height, max(1, (width * other.height + other.width / 2) / other.width)))
  }

  /// The smallest size of the same shape that covers the other one.
  func filling(_ other: ImageSize) -> ImageSize {
    let isWide = width * other.height >= height * other.width
    return isWide
      ? ImageSize(width: max(other.width, (width * other.height + height / 2) / height), height: other.height)
      : ImageSize(width: other.width, height: max(other.height, (height * other.width + width / 2) / width))
  }
}
