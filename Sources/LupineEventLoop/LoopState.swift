import LupineSupport

/// The state of a `LoopThread`, which its lock protects.
struct LoopState {
  enum Phase { case idle, running, stopping, ended }

  var phase = Phase.idle
  var commands: [LoopCommand] = []
  var jobs: [LoopJob] = []
  var isAsleep = false
  var wakeUp: WakeUp?
  var thread: SystemThread?
  private var waiters: [UnsafeContinuation<Void, Never>] = []

  /// Queues a command; returns the wake-up if the loop is asleep.
  mutating func append(_ command: LoopCommand) -> WakeUp? {
    commands.append(command)
    return wake()
  }

  /// Queues a job of a task that runs on the loop's thread.
  mutating func append(_ job: LoopJob) -> WakeUp? {
    jobs.append(job)
    return wake()
  }

  private mutating func wake() -> WakeUp? {
    guard isAsleep else { return nil }
    isAsleep = false
    return wakeUp
  }

  /// Moves the queued jobs into `emptied`, and returns whether the loop is asleep from now on.
  ///
  /// The loop is asleep if `wantsSleep` is true and neither a job nor a command is queued.
  mutating func takeJobs(_ emptied: inout [LoopJob], wantsSleep: Bool) -> Bool {
    swap(&jobs, &emptied)
    isAsleep = wantsSleep && emptied.isEmpty && commands.isEmpty
    return isAsleep
  }

  mutating func takeCommands(_ emptied: inout [LoopCommand]) {
    isAsleep = false
    swap(&commands, &emptied)
  }

  /// Stops the loop; `hasEnded` is true if the loop does not run.
  mutating func stop(_ waiter: UnsafeContinuation<Void, Never>) -> (hasEnded: Bool, WakeUp?) {
    switch phase {
    case .idle, .ended:
      phase = .ended
      return (true, nil)
    case .running:
      phase = .stopping
      waiters.append(waiter)
      return (false, append(.stop))
    case .stopping:
      waiters.append(waiter)
      return (false, nil)
    }
  }

  /// The continuations that wait for the end of the thread, and the jobs and commands that have not run.
  typealias Remainder = (waiters: [UnsafeContinuation<Void, Never>], jobs: [LoopJob], commands: [LoopCommand])

  /// Ends the loop; detaches the thread if no continuation waits for its end.
  mutating func end() -> Remainder {
    phase = .ended
    wakeUp = nil
    if waiters.isEmpty, let thread = takeThread() { thread.detach() }
    defer { (waiters, jobs, commands) = ([], [], []) }
    return (waiters, jobs, commands)
  }

  /// Ends a thread whose loop could not be created.
  ///
  /// The next request may start another thread, unless the loop stops. The other thread, or the end of the loop, waits
  /// for the present thread, which still holds its wake-up.
  mutating func abort() -> Remainder {
    guard phase == .running else { return end() }
    phase = .idle
    wakeUp = nil
    defer { (jobs, commands) = ([], []) }
    return ([], jobs, commands)
  }

  /// Returns the thread to the first caller after the end of the loop; `nil` before the end and to later callers.
  mutating func takeThread() -> SystemThread? {
    guard phase == .ended else { return nil }
    defer { thread = nil }
    return thread
  }
}
