import Glibc
import LupineCore
import LupineSupport
import Synchronization

/// Ends a connection on which libcurl spends processor time without delivering anything, such as one that sends empty
/// frames.
///
/// libcurl does not return from a call while such a connection is readable, which blocks the other exchanges, timeouts
/// and cancellations of the loop. A second thread samples the processor time that the loop's thread has spent in
/// libcurl since the last callback, and ends the busiest connection when that exceeds `limit`. Time in callbacks and
/// sinks does not count. The thread sleeps while the loop is idle.
final class LibraryWatch: Sendable {
  /// The processor time, in nanoseconds, that libcurl may spend on one connection without bringing anything.
  private static let limit: UInt64 = 50_000_000
  /// Nanoseconds between two looks.
  private static let tick = 5_000_000
  /// Looks at a loop that does nothing, before the thread sleeps until the loop rings.
  private static let patience = 3

  let connections: OpenConnections
  /// Grows each time the loop's thread enters libcurl or leaves it, for a callback too: odd while libcurl works.
  private let step = Atomic<UInt64>(0)
  /// Grows with each call of libcurl.
  private let call = Atomic<UInt64>(0)
  /// Whether the call under way has lasted for longer than one tick.
  private let isLate = Atomic(false)
  private let isAsleep = Atomic(false)
  private let isOver = Atomic(false)
  private let semaphore = Semaphore()
  private let thread = Mutex<SystemThread?>(nil)

  init() throws(LupineError) { connections = try OpenConnections() }

  /// Starts to watch the calling thread.
  func start() throws(LupineError) {
    var clock: clockid_t = 0
    pthread_getcpuclockid(pthread_self(), &clock)
    do throws(SystemThread.Failure) {
      let started = try SystemThread("lupine-watch") { [self, clock] in run(clock) }
      thread.withLock { $0 = started }
    } catch {
      throw SystemFailure.error("A thread cannot be started", code: error.code)
    }
  }

  /// Ends the watching thread, and waits for that.
  func stop() {
    isOver.store(true, ordering: .relaxed)
    semaphore.ring()
    thread.withLock { $0.take() }?.join()
  }

  /// Whether exchanges are to hold back what is left of their bodies, so that the call under way comes to its end.
  var isCallLate: Bool { isLate.load(ordering: .relaxed) }

  /// Notes that libcurl is about to be called.
  func enter() {
    if isCallLate { isLate.store(false, ordering: .relaxed) }
    call.store(call.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    // In one order with the other thread's falling asleep, so that one of the two sees the other.
    step.store(step.load(ordering: .relaxed) &+ 1, ordering: .sequentiallyConsistent)
    if isAsleep.load(ordering: .sequentiallyConsistent) { wake() }
  }

  /// Notes that libcurl has returned.
  func leave() { step.store(step.load(ordering: .relaxed) &+ 1, ordering: .relaxed) }

  /// Does what a callback is for, which libcurl does not answer for.
  func aside<Result>(_ work: () -> Result) -> Result {
    let before = step.load(ordering: .relaxed)
    guard before & 1 == 1 else { return work() }
    step.store(before &+ 1, ordering: .relaxed)
    defer { step.store(before &+ 2, ordering: .relaxed) }
    return work()
  }

  private func wake() {
    isAsleep.store(false, ordering: .relaxed)
    semaphore.ring()
  }

  /// What the thread has seen of the loop.
  private struct View {
    var step: UInt64 = 0
    var call: UInt64 = 0
    /// The loop's processor time when it was first seen at this step.
    var time: UInt64 = 0
    /// How often it has been seen at this step since.
    var count = 0
  }

  private func run(_ clock: clockid_t) {
    var view = View()
    while !isOver.load(ordering: .relaxed) {
      if view.count >= Self.patience, view.step & 1 == 0 {
        sleep(at: view.step)
      } else {
        pause()
      }
      sample(&view, clock)
    }
  }

  private func pause() {
    var time = timespec(tv_sec: 0, tv_nsec: Self.tick)
    nanosleep(&time, nil)
  }

  /// Waits for the loop's next call, unless that has come meanwhile.
  private func sleep(at seen: UInt64) {
    isAsleep.store(true, ordering: .sequentiallyConsistent)
    if step.load(ordering: .sequentiallyConsistent) == seen {
      semaphore.wait()
    } else {
      isAsleep.store(false, ordering: .relaxed)
    }
  }

  private func sample(_ view: inout View, _ clock: clockid_t) {
    let (step, call) = (step.load(ordering: .relaxed), call.load(ordering: .relaxed))
    if step & 1 == 1, call == view.call { isLate.store(true, ordering: .relaxed) }
    guard step == view.step else {
      view = View(step: step, call: call, time: Self.time(clock))
      return
    }
    view.count += 1
    guard step & 1 == 1 else { return }
    if view.count == 1 { connections.sample() } else { connections.sampleAgain() }
    let now = Self.time(clock)
    guard now - view.time >= Self.limit else { return }
    connections.endBusiest()
    view.time = now
  }

  private static func time(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
