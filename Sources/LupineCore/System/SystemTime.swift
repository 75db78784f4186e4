#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// The kernel's clocks.
enum SystemTime {
  /// The time that a continuous clock measures, in nanoseconds; it counts the time in which the system is suspended.
  static var nanosecondsSinceBoot: Int64 {
    #if canImport(Darwin)
      nanoseconds(of: CLOCK_MONOTONIC)
    #else
      nanoseconds(of: CLOCK_BOOTTIME)
    #endif
  }

  /// The time that a suspending clock measures, in nanoseconds.
  static var nanosecondsAwake: Int64 {
    #if canImport(Darwin)
      nanoseconds(of: CLOCK_UPTIME_RAW)
    #else
      nanoseconds(of: CLOCK_MONOTONIC)
    #endif
  }

  private static func nanoseconds(of clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
