/// A number of bytes, as the size of a cache.
public struct CacheSize: Sendable, Hashable, Comparable {
  /// The number of bytes.
  public let bytes: Int64

  /// A number of bytes.
  public static func bytes(_ count: Int64) -> CacheSize { CacheSize(bytes: count) }
  /// A number of kilobytes of 1,024 bytes.
  public static func kilobytes(_ count: Int64) -> CacheSize { multiple(count, 1 << 10) }
  /// A number of megabytes of 1,024 kilobytes.
  public static func megabytes(_ count: Int64) -> CacheSize { multiple(count, 1 << 20) }
  /// A number of gigabytes of 1,024 megabytes.
  public static func gigabytes(_ count: Int64) -> CacheSize { multiple(count, 1 << 30) }

  /// Compares the numbers of bytes.
  public static func < (left: CacheSize, right: CacheSize) -> Bool { left.bytes < right.bytes }

  private static func multiple(_ count: Int64, _ unit: Int64) -> CacheSize {
    let (bytes, isTooLarge) = count.multipliedReportingOverflow(by: unit)
    return CacheSize(bytes: isTooLarge ? (count < 0 ? .min : .max) : bytes)
  }
}
