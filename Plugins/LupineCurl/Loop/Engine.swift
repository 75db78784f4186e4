import LupineCore
import LupineSupport
import Synchronization

/// The thread-safe side of the loop: its queue of commands and its lifecycle.
///
/// The loop's thread keeps the engine alive. Only that thread uses the loop.
final class Engine: Sendable {
  let configuration: CurlTransport.Configuration
  let lookups: HostLookups
  let state = Mutex(EngineState())
  private let lastID = Atomic<UInt64>(0)

  init(_ configuration: CurlTransport.Configuration, _ lookups: HostLookups) {
    self.configuration = configuration
    self.lookups = lookups
  }

  /// Makes the ticket of an exchange.
  func makeTicket() -> Ticket { Ticket(lastID.wrappingAdd(1, ordering: .relaxed).newValue, self) }

  /// Queues an exchange; starts the thread if it does not run.
  func submit(_ submission: Submission) throws(LupineError) {
    let wakeUp = try state.withLock { (state) throws(LupineError) in
      if state.phase == .idle { try launch(&state) }
      guard state.phase == .running else { throw LupineError.transportShutDown }
      return state.append(.start(submission))
    }
    wakeUp?.signal()
  }

  /// Queues a command; no effect if the loop does not run.
  func post(_ command: Command) {
    let wakeUp = state.withLock { $0.phase == .running ? $0.append(command) : nil }
    wakeUp?.signal()
  }

  /// Counts the connections; all counts are zero if the loop does not run.
  func connectionPool() async -> ConnectionPoolSnapshot {
    await withUnsafeContinuation { continuation in
      let (isRunning, wakeUp) = state.withLock { state -> (Bool, WakeUp?) in
        guard state.phase == .running else { return (false, nil) }
        return (true, state.append(.countConnections(continuation)))
      }
      wakeUp?.signal()
      if !isRunning { continuation.resume(returning: ConnectionPoolSnapshot()) }
    }
  }

  func stopWhenIdle() {
    let wakeUp = state.withLock { state in
      guard state.phase == .idle else { return state.append(.stopWhenIdle) }
      state.phase = .ended
      return nil
    }
    wakeUp?.signal()
  }

  func shutDown() async {
    await withUnsafeContinuation { continuation in
      let (hasEnded, wakeUp) = state.withLock { $0.stop(continuation) }
      wakeUp?.signal()
      if hasEnded { continuation.resume() }
    }
    if let thread = state.withLock({ $0.takeThread() }) { thread.join() }
  }

  func launch(_ state: inout EngineState) throws(LupineError) {
    let wakeUp = try WakeUp()
    do throws(SystemThread.Failure) {
      state.thread = try SystemThread("lupine-curl") { [self] in run(wakeUp) }
    } catch {
      throw SystemError(code: error.code).failure("A thread cannot be started")
    }
    state.wakeUp = wakeUp
    state.phase = .running
  }

  private func run(_ wakeUp: WakeUp) {
    do throws(LupineError) {
      try Loop(self, wakeUp).run()
      end()
    } catch {
      fail(error)
    }
  }
}

extension Engine {
  /// Moves the queued commands into `commands` and marks the loop as awake.
  ///
  /// The queue reuses the storage of the passed array, which must be empty.
  func takeCommands(_ commands: inout [Command]) {
    state.withLock { $0.takeCommands(&commands) }
  }

  /// Fails the queued exchanges, because the loop could not be created.
  ///
  /// The next request tries again.
  private func fail(_ error: LupineError) {
    var commands: [Command] = []
    let remainder = state.withLock { state in
      state.takeCommands(&commands)
      return state.abort()
    }
    for case .start(let submission) in commands { submission.refuse(error) }
    for case .countConnections(let continuation) in commands {
      continuation.resume(returning: ConnectionPoolSnapshot())
    }
    release(remainder)
  }

  /// Ends the engine, as the last step of the thread.
  private func end() { release(state.withLock { $0.end() }) }

  private func release(_ remainder: EngineState.Remainder) {
    for job in remainder.jobs { globalConcurrentExecutor.enqueue(ExecutorJob(job)) }
    for waiter in remainder.waiters { waiter.resume() }
  }
}

extension Engine: TaskExecutor {
  /// Queues a job for the loop's thread, or for the global executor if the loop cannot start or has ended.
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let (isQueued, wakeUp) = state.withLock { state -> (Bool, WakeUp?) in
      if state.phase == .idle { try? launch(&state) }
      guard state.phase == .running else { return (false, nil) }
      return (true, state.append(job))
    }
    wakeUp?.signal()
    if !isQueued { globalConcurrentExecutor.enqueue(ExecutorJob(job)) }
  }

  /// Runs the queued jobs and the jobs that they add, in a limited number of batches.
  ///
  /// - Returns: whether the loop may sleep. If true, the engine has marked the loop as asleep. True only if
  ///   `wantsSleep` is true and neither a job nor a command is queued.
  func runJobs(_ jobs: inout [UnownedJob], thenSleep wantsSleep: Bool) -> Bool {
    for _ in 0..<Self.batches {
      let maySleep = state.withLock { $0.takeJobs(&jobs, wantsSleep: wantsSleep) }
      if jobs.isEmpty { return maySleep }
      for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
      jobs.removeAll(keepingCapacity: true)
    }
    return false
  }

  /// The maximum number of batches of jobs between two polls of the connections.
  private static let batches = 8
}

/// The state that the engine's lock protects.
struct EngineState {
  enum Phase { case idle, running, stopping, ended }

  var phase = Phase.idle
  var commands: [Command] = []
  private var jobs: [UnownedJob] = []
  private var isAsleep = false
  var wakeUp: WakeUp?
  var thread: SystemThread?
  private var waiters: [UnsafeContinuation<Void, Never>] = []

  /// Queues a command; returns the wake-up if the loop is asleep.
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
  mutating func takeJobs(_ emptied: inout [UnownedJob], wantsSleep: Bool) -> Bool {
    swap(&jobs, &emptied)
    isAsleep = wantsSleep && emptied.isEmpty && commands.isEmpty
    return isAsleep
  }

  mutating func takeCommands(_ emptied: inout [Command]) {
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

  /// The continuations that wait for the end of the engine, and the jobs that have not run.
  typealias Remainder = (waiters: [UnsafeContinuation<Void, Never>], jobs: [UnownedJob])

  /// Ends the engine; detaches the thread if no continuation waits for its end.
  mutating func end() -> Remainder {
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
  mutating func abort() -> Remainder {
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
