#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// The time of the monotonic clock, in nanoseconds.
public enum MonotonicClock {
  /// The nanoseconds since some fixed moment.
  public static var now: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// Returns the milliseconds until a deadline, rounded up and at least 0; -1, which means forever, for nil.
  public static func milliseconds(until deadline: UInt64?) -> Int32 {
    guard let deadline else { return -1 }
    if deadline == 0 { return 0 }
    let now = now
    return deadline <= now ? 0 : Int32(clamping: (deadline - now + 999_999) / 1_000_000)
  }
}
