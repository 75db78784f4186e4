public import LupineCore
import LupineSupport

/// The limits on the files that are decoded.
///
/// The sizes are read from the header of a file and checked before memory for its pixels is allocated. The peak of the
/// memory for one decoding is then at most 16 bytes for each pixel plus 16 MiB, besides the file and the filters. A JPEG with
/// bytes between its segments is copied once.
public struct ImageLimits: Sendable, Hashable {
  /// The maximum number of bytes of a file.
  ///
  /// Default: 32 MiB.
  public var fileSize: Int = 32 << 20
  /// The maximum number of pixels; a greater number than 2^34 means 2^34.
  ///
  /// Default: 64 million.
  public var pixels: Int = 64_000_000
  /// The maximum width and the maximum height, in pixels.
  ///
  /// Default: 16,384.
  public var side: Int = 16_384
  /// The maximum time for decoding one file.
  ///
  /// It is checked after each row of a PNG and after each sixteenth of a WebP file. Nothing stops a JPEG or the last
  /// piece of a WebP file: `pixels` and `scannedPixels` bound their time.
  ///
  /// Default: 10 seconds.
  public var duration: Duration = .seconds(10)
  /// The maximum number of scans of a JPEG.
  ///
  /// Progressive files usually have 10.
  ///
  /// Default: 100.
  public var scans: Int = 100
  /// The maximum product of the number of pixels and the number of scans of a JPEG.
  ///
  /// Each scan of a progressive file visits all pixels again.
  ///
  /// Default: 2^30.
  public var scannedPixels: Int = 1 << 30
  /// The maximum number of bytes of one chunk of a PNG that contains no pixels, before and after decompression.
  ///
  /// Such a chunk is a colour profile or a text.
  ///
  /// Default: 4 MiB.
  public var chunk: Int = 4 << 20
  /// The maximum number of chunks of a PNG or WebP file.
  ///
  /// Default: 65,536.
  public var chunks: Int = 65_536
  /// The maximum number of bytes of the tables of a lossless WebP file, in addition to 4 bytes for each pixel.
  ///
  /// A hostile file of half a megabyte makes libwebp allocate hundreds of megabytes. Encoders make some hundred kilobytes.
  ///
  /// Default: 8 MiB.
  public var tables: Int = 8 << 20

  /// Creates the default limits.
  public init() {}

  /// The name of a limit in errors.
  public enum Name: String, Sendable, Hashable, CustomStringConvertible {
    /// See `ImageLimits.fileSize`.
    case fileSize
    /// See `ImageLimits.pixels`.
    case pixels
    /// See `ImageLimits.side`.
    case side
    /// See `ImageLimits.duration`.
    case duration
    /// See `ImageLimits.scans`.
    case scans
    /// See `ImageLimits.scannedPixels`.
    case scannedPixels
    /// See `ImageLimits.chunk`.
    case chunk
    /// See `ImageLimits.chunks`.
    case chunks
    /// See `ImageLimits.tables`.
    case tables

    /// The name, such as `pixels`.
    public var description: String { rawValue }
  }
}

/// The limit that a file exceeds; the `underlying` error of kind `imageLimitExceeded`.
public struct ImageLimitExceeded: Error, Sendable, Hashable {
  /// The limit.
  public let limit: ImageLimits.Name
}

extension LupineError.Kind {
  /// A file exceeds one of `ImageLimits`, which the message and the `ImageLimitExceeded` in `underlying` name.
  public static let imageLimitExceeded = LupineError.Kind.plugin("imageLimitExceeded")
  /// A file is damaged, truncated or contradicts itself.
  public static let invalidImage = LupineError.Kind.plugin("invalidImage")
  /// A file has another format than JPEG, PNG and WebP, or uses a part of its format that is not decoded.
  public static let unsupportedImage = LupineError.Kind.plugin("unsupportedImage")
}

extension LupineError {
  static func imageLimit(_ name: ImageLimits.Name, _ facts: String) -> LupineError {
    LupineError(
      .imageLimitExceeded, "\(facts), which exceeds the limit \(name) of ImageLimits.",
      underlying: ImageLimitExceeded(limit: name))
  }
}

extension ImageLimits {
  /// Checks the size of a file.
  func check(fileSize count: Int) throws(LupineError) {
    if count > fileSize { throw .imageLimit(.fileSize, "The file has \(count) bytes, more than \(fileSize)") }
  }

  /// Checks the sides and the number of pixels.
  func check(_ size: ImageSize) throws(LupineError) {
    guard size.width > 0, size.height > 0 else {
      throw LupineError(.invalidImage, "The header states a size of \(size) pixels.")
    }
    if max(size.width, size.height) > side {
      throw .imageLimit(.side, "The header states \(size) pixels; a side may have \(side)")
    }
    let count = size.width.multipliedReportingOverflow(by: size.height)
    let allowed = min(pixels, 1 << 34)
    if count.overflow || count.partialValue > allowed {
      throw .imageLimit(.pixels, "The header states \(size) pixels; \(allowed) are allowed")
    }
  }
}

/// Ends a decoding after its time limit, or when its last waiter has left.
struct DecodingWatch: Sendable {
  private let limit: Duration
  private let end: Duration
  private let now: @Sendable () -> Duration
  private let isAbandoned: @Sendable () -> Bool

  /// Begins the time of a decoding.
  init(limits: ImageLimits, clock: SessionClock, isAbandoned: @escaping @Sendable () -> Bool = { false }) {
    limit = limits.duration
    now = clock.now
    end = clock.now() + limits.duration.bounded
    self.isAbandoned = isAbandoned
  }

  /// - Throws: kind `imageLimitExceeded` after the time, `cancelled` if the last waiter has left.
  func check() throws(LupineError) {
    if isAbandoned() { throw LupineError(.cancelled, "Nobody waits for the picture any more.") }
    if now() > end { throw .imageLimit(.duration, "The decoding has taken more than \(limit)") }
  }
}
