#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// The clock of the processor time that one thread has used.
struct ProcessorClock: Sendable {
  private let id: clockid_t

  /// Creates the clock of the calling thread.
  init() {
    var id: clockid_t = 0
    pthread_getcpuclockid(pthread_self(), &id)
    self.id = id
  }

  /// The processor time in nanoseconds.
  var now: UInt64 {
    var time = timespec()
    clock_gettime(id, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// Blocks the calling thread for less than one second.
  static func pauseThread(nanoseconds: Int) {
    var time = timespec(tv_sec: 0, tv_nsec: nanoseconds)
    nanosleep(&time, nil)
  }
}
