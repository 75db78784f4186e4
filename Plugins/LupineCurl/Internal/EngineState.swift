import LupineCore
import LupineSupport

/// What the engine's lock protects.
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

  /// Queues a command and returns the alarm, where the loop has said that it sleeps.
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

  /// Hands over the jobs that wait; true where nothing does, and the loop, which wants to, sleeps from now on.
  mutating func rest(_ emptied: inout [UnownedJob], wantsSleep: Bool) -> Bool {
    swap(&jobs, &emptied)
    isAsleep = wantsSleep && emptied.isEmpty && commands.isEmpty
    return isAsleep
  }

  mutating func take(_ emptied: inout [Command]) {
    isAsleep = false
    swap(&commands, &emptied)
  }

  /// Asks the loop to stop; true where there is nothing to wait for.
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

  /// Who waits for the end of the engine, and the jobs that it leaves.
  typealias Rest = (waiters: [UnsafeContinuation<Void, Never>], jobs: [UnownedJob])

  /// Ends the engine; a thread that nobody waits for is left to the system.
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

  /// The end of a thread whose loop could not be made: another may be started unless the engine is to stop.
  mutating func abort() -> Rest {
    guard phase == .running else { return end() }
    phase = .idle
    wakeUp = nil
    if let thread { thread.detach() }
    thread = nil
    defer { jobs = [] }
    return ([], jobs)
  }

  /// The thread, to the first who asks after its end.
  mutating func takeThread() -> SystemThread? {
    guard phase == .ended else { return nil }
    defer { thread = nil }
    return thread
  }
}
