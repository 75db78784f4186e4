import LupineSupport
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// Timers on their own threads, for a process without a free file descriptor at its first timer.
///
/// The system clocks sleep with libdispatch, which opens descriptors for its first timer and terminates the process if
/// there are none.
enum ThreadTimer {
  /// The number of descriptors that libdispatch opens, with a margin.
  private static let descriptors = 8
  private static let isSafe = Atomic(false)

  /// Whether libdispatch may lack descriptors for its first timer.
  static var isNeeded: Bool {
    if isSafe.load(ordering: .relaxed) { return false }
    var opened: [Int32] = []
    while opened.count < descriptors, let next = open() { opened.append(next) }
    defer { for each in opened { close(each) } }
    guard opened.count == descriptors else { return true }
    isSafe.store(true, ordering: .relaxed)
    return false
  }

  private static func open() -> Int32? {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    return descriptor < 0 ? nil : descriptor
  }

  /// Calls `action` after a delay, unless the timer is cancelled before; at once if no thread can be started.
  static func schedule(_ time: Duration, _ action: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
    let pause = Pause()
    start(pause, time) { if $0 { action() } }
    return { pause.end() }
  }

  /// Sleeps for the time, or until the task is cancelled.
  static func sleep(_ time: Duration) async throws {
    let pause = Pause()
    await withTaskCancellationHandler {
      await withUnsafeContinuation { (waiter: UnsafeContinuation<Void, Never>) in
        start(pause, time) { _ in waiter.resume() }
      }
    } onCancel: {
      pause.end()
    }
    try Task.checkCancellation()
  }

  /// - Parameter done: called once; its argument states whether the time has passed.
  private static func start(_ pause: Pause, _ time: Duration, done: @escaping @Sendable (Bool) -> Void) {
    do throws(SystemThread.Failure) {
      try SystemThread("lupine-timer") { done(pause.lasts(time)) }.detach()
    } catch {
      done(true)
    }
  }
}

/// A thread's timed wait, which any thread can end.
private final class Pause: Sendable {
  private struct State {
    var mutex = pthread_mutex_t()
    var hasEnded = pthread_cond_t()
    var isEnded = false
  }

  /// Its mutex guards `isEnded`; `deinit` frees the memory after the last use.
  nonisolated(unsafe) private let state: UnsafeMutablePointer<State>

  init() {
    state = .allocate(capacity: 1)
    state.initialize(to: State())
    pthread_mutex_init(&state.pointee.mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    // The wall clock may be set while a thread waits.
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(&state.pointee.hasEnded, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(&state.pointee.hasEnded)
    pthread_mutex_destroy(&state.pointee.mutex)
    state.deallocate()
  }

  func end() {
    pthread_mutex_lock(&state.pointee.mutex)
    state.pointee.isEnded = true
    pthread_cond_signal(&state.pointee.hasEnded)
    pthread_mutex_unlock(&state.pointee.mutex)
  }

  /// Waits; returns `false` if the wait was ended before the time had passed.
  func lasts(_ time: Duration) -> Bool {
    var deadline = Self.moment(after: time)
    pthread_mutex_lock(&state.pointee.mutex)
    defer { pthread_mutex_unlock(&state.pointee.mutex) }
    while !state.pointee.isEnded {
      let code = pthread_cond_timedwait(&state.pointee.hasEnded, &state.pointee.mutex, &deadline)
      if code == ETIMEDOUT { return !state.pointee.isEnded }
    }
    return false
  }

  private static func moment(after time: Duration) -> timespec {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    let (sum, overflows) = (Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec))
      .addingReportingOverflow(max(0, time.nanoseconds))
    let nanoseconds = overflows ? Int64.max : sum
    return timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
  }
}
