import LupineCore
import LupineSupport

/// The state that the engine's lock protects.
struct EngineState {
  enum Phase { case idle, running, stopping, ended }

  var phase = Phase.idle
  var commands: [Command] = []
  private var jobs: [UnownedJob] = []
  private var isAsleep = false
  var wakeUp: WakeUp?
  var thread: SystemThread?
  private var lastID: UInt64 = 0
  private var waiters: [UnsafeContinuation<Void, Never>] = []

  mutating func makeID() -> UInt64 {
    lastID += 1
    return lastID
  }

  /// Queues a command; returns the alarm if the loop is asleep.
  mutating func append(_ command: Command) -> WakeUp? {
    commands.append(command)
    return wake()
  }

  /// Queues a job of a task that runs on the loop's thread.
  mutating func append(_ job: UnownedJob) -> WakeUp? {
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
  mutating func rest(_ emptied: inout [UnownedJob], wantsSleep: Bool) -> Bool {
    swap(&jobs, &emptied)
    isAsleep = wantsSleep && emptied.isEmpty && commands.isEmpty
    return isAsleep
  }

  mutating func take(_ emptied: inout [Command]) {
    isAsleep = false
    swap(&commands, &emptied)
  }

  /// Stops the loop; `isOver` is true if the loop does not run.
  mutating func stop(_ waiter: UnsafeContinuation<Void, Never>) -> (isOver: Bool, WakeUp?) {
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

  /// The continuations that wait for the end of the engine, and the jobs that have not run.
  typealias Rest = (waiters: [UnsafeContinuation<Void, Never>], jobs: [UnownedJob])

  /// Ends the engine; detaches the thread if no continuation waits for its end.
  mutating func end() -> Rest {
    phase = .ended
    wakeUp = nil
    commands = []
    if waiters.isEmpty, let thread = takeThread() { thread.detach() }
    defer {
      waiters = []
      jobs = []
    }
    return (waiters, jobs)
  }

  /// Ends a thread whose loop could not be created.
  ///
  /// The next request may start another thread, unless the engine stops.
  mutating func abort() -> Rest {
    guard phase == .running else { return end() }
    phase = .idle
    wakeUp = nil
    if let thread { thread.detach() }
    thread = nil
    defer { jobs = [] }
    return ([], jobs)
  }

  /// Returns the thread to the first caller after the end of the engine; `nil` before the end and to later callers.
  mutating func takeThread() -> SystemThread? {
    guard phase == .ended else { return nil }
    defer { thread = nil }
    return thread
  }
}
