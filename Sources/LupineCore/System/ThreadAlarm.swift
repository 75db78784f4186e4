import LupineSupport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// Lets one thread wait for a time, or until another thread wakes it.
///
/// `Semaphore` cannot do this: its wait has no limit.
final class ThreadAlarm: Sendable {
  private struct State {
    var mutex = pthread_mutex_t()
    var condition = pthread_cond_t()
    var isSet = false
  }

  /// Its mutex guards `isSet`; `deinit` frees the memory after the last use.
  nonisolated(unsafe) private let state: UnsafeMutablePointer<State>

  init() {
    state = .allocate(capacity: 1)
    state.initialize(to: State())
    pthread_mutex_init(&state.pointee.mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    // The wall clock may be set while a thread waits.
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(&state.pointee.condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(&state.pointee.condition)
    pthread_mutex_destroy(&state.pointee.mutex)
    state.deallocate()
  }

  /// Ends the present wait, or the next one if no thread waits.
  func set() {
    pthread_mutex_lock(&state.pointee.mutex)
    state.pointee.isSet = true
    pthread_cond_signal(&state.pointee.condition)
    pthread_mutex_unlock(&state.pointee.mutex)
  }

  /// Blocks the calling thread until `set` is called or the time has passed; `nil` is no limit.
  func wait(atMost time: Duration?) {
    let deadline = time.map(Self.moment)
    pthread_mutex_lock(&state.pointee.mutex)
    defer { pthread_mutex_unlock(&state.pointee.mutex) }
    while !state.pointee.isSet {
      if var deadline {
        if pthread_cond_timedwait(&state.pointee.condition, &state.pointee.mutex, &deadline) == ETIMEDOUT { break }
      } else {
        pthread_cond_wait(&state.pointee.condition, &state.pointee.mutex)
      }
    }
    state.pointee.isSet = false
  }

  private static func moment(after time: Duration) -> timespec {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    let nanoseconds = Int64(now.tv_nsec) + max(0, time.nanoseconds % 1_000_000_000)
    let seconds = Int64(now.tv_sec) + max(0, time.nanoseconds / 1_000_000_000)
    return timespec(tv_sec: Int(seconds + nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
  }
}
