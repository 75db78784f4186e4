import LupineCore
import LupineEventLoop
import LupineSupport
import Synchronization

/// Ends a connection on which libcurl spends processor time without delivering data, such as one with only empty
/// frames.
///
/// libcurl does not return from a call while such a connection is readable, which blocks the other exchanges, timeouts
/// and cancellations of the loop. A second thread samples the processor time that the loop's thread has spent in
/// libcurl since the last callback, and ends the busiest connection when that exceeds `FloodBudget.limit`. Time in
/// callbacks that pass data, and in sinks, does not count. The thread sleeps while the loop is idle.
final class Watchdog: Sendable {
  /// The time between two samples, in nanoseconds.
  private static let samplingInterval = 5_000_000
  /// The number of samples of an idle loop before the thread sleeps.
  private static let idleSamplesBeforeSleep = 3

  let connections: OpenConnections
  /// The number of entries into libcurl and exits from it, with those of callbacks that pass data; odd while libcurl
  /// runs.
  private let stepCount = Atomic<UInt64>(0)
  /// The number of calls of libcurl.
  private let callCount = Atomic<UInt64>(0)
  /// Whether the current call has lasted for longer than one sampling interval.
  private let isSlow = Atomic(false)
  private let isAsleep = Atomic(false)
  private let isStopped = Atomic(false)
  private let semaphore = Semaphore()
  private let thread = Mutex<SystemThread?>(nil)

  init() throws(LupineError) { connections = try OpenConnections() }

  /// Starts to watch the calling thread.
  func start() throws(LupineError) {
    let clock = ProcessorClock()
    do throws(SystemThread.Failure) {
      let started = try SystemThread("lupine-watch") { [self] in run(clock) }
      thread.withLock { $0 = started }
    } catch {
      throw SystemError(code: error.code).failure("A thread cannot be started")
    }
  }

  /// Ends the watching thread and waits for its end.
  func close() {
    isStopped.store(true, ordering: .relaxed)
    semaphore.signal()
    thread.withLock { $0.take() }?.join()
  }

  /// Whether exchanges must pause their responses, so that the current call of libcurl returns.
  var isCallSlow: Bool { isSlow.load(ordering: .relaxed) }

  /// Watches a call of libcurl that may read from a connection, also only to close it.
  func watching<Result>(_ call: () -> Result) -> Result {
    beginCall()
    defer { finishCall() }
    return call()
  }

  /// Records the start of a call of libcurl.
  private func beginCall() {
    if isCallSlow { isSlow.store(false, ordering: .relaxed) }
    callCount.store(callCount.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    // Sequentially consistent with `sleep(at:)`: either this thread sees `isAsleep`, or the other thread sees the new
    // step.
    stepCount.store(stepCount.load(ordering: .relaxed) &+ 1, ordering: .sequentiallyConsistent)
    if isAsleep.load(ordering: .sequentiallyConsistent) { wake() }
  }

  /// Records the end of a call of libcurl.
  private func finishCall() { stepCount.store(stepCount.load(ordering: .relaxed) &+ 1, ordering: .relaxed) }

  /// Runs a callback's work, whose time does not count as libcurl's.
  func excludingTime<Result>(_ work: () -> Result) -> Result {
    let before = stepCount.load(ordering: .relaxed)
    guard before & 1 == 1 else { return work() }
    stepCount.store(before &+ 1, ordering: .relaxed)
    defer { stepCount.store(before &+ 2, ordering: .relaxed) }
    return work()
  }

  /// The count of entries and exits before a call of libcurl, for `hasDeliveredNothing(since:)`.
  var deliveryMark: UInt64 { stepCount.load(ordering: .relaxed) }

  /// Whether the one call of libcurl since the mark passed no data to a callback.
  func hasDeliveredNothing(since mark: UInt64) -> Bool { stepCount.load(ordering: .relaxed) &- mark == 2 }

  private func wake() {
    isAsleep.store(false, ordering: .relaxed)
    semaphore.signal()
  }

  /// The watching thread's last observation of the loop.
  private struct Observation {
    var stepCount: UInt64 = 0
    var callCount: UInt64 = 0
    /// The loop's processor time in nanoseconds at the first sample of this step.
    var time: UInt64 = 0
    /// The number of further samples at this step.
    var count = 0
  }

  private func run(_ clock: ProcessorClock) {
    var observation = Observation()
    while !isStopped.load(ordering: .relaxed) {
      if observation.count >= Self.idleSamplesBeforeSleep, observation.stepCount & 1 == 0 {
        sleep(at: observation.stepCount)
      } else {
        ProcessorClock.pauseThread(nanoseconds: Self.samplingInterval)
      }
      sample(&observation, clock)
    }
  }

  /// Waits for the loop's next call, unless a call has started since the sample.
  private func sleep(at seen: UInt64) {
    isAsleep.store(true, ordering: .sequentiallyConsistent)
    if stepCount.load(ordering: .sequentiallyConsistent) == seen {
      semaphore.wait()
    } else {
      isAsleep.store(false, ordering: .relaxed)
    }
  }

  private func sample(_ observation: inout Observation, _ clock: ProcessorClock) {
    let (stepCount, callCount) = (stepCount.load(ordering: .relaxed), callCount.load(ordering: .relaxed))
    if stepCount & 1 == 1, callCount == observation.callCount { isSlow.store(true, ordering: .relaxed) }
    guard stepCount == observation.stepCount else {
      observation = Observation(stepCount: stepCount, callCount: callCount, time: clock.now)
      return
    }
    observation.count += 1
    guard stepCount & 1 == 1 else { return }
    if observation.count == 1 { connections.sample() } else { connections.updateSample() }
    let now = clock.now
    guard now - observation.time >= FloodBudget.limit else { return }
    connections.closeBusiest()
    observation.time = now
  }
}
