public import LupineCore
import LupineSupport
public import Synchronization

/// A command from other threads to an event loop, which executes commands in order.
public protocol LoopCommand: Sendable {
  /// Ends all exchanges and the loop.
  static var stop: Self { get }
  /// Ends the loop after the last exchange.
  static var stopWhenIdle: Self { get }

  /// Fails the work that the command would start, because the loop could not be created.
  func refuse(_ error: LupineError)
}

/// The thread of an event loop, with the queue of its commands; it also runs tasks.
///
/// The thread starts with the first command or job, and retains this object until it ends. Only the thread uses the loop.
/// Functions that run for each command or each turn are inlinable; otherwise other modules would call unspecialized code.
/// `Benchmarks/README.md` has the figures.
public final class LoopThread<Command: LoopCommand>: Sendable {
  /// Creates a loop and runs it until its end.
  public typealias Main = @Sendable (LoopThread, WakeUp) throws(LupineError) -> Void

  @usableFromInline let state = Mutex(LoopState<Command>())
  private let name: String
  private let main: Main
  private let lastID = Atomic<UInt64>(0)

  /// - Parameters:
  ///   - name: the thread's name.
  ///   - main: runs on the thread. If it throws, the queued commands are refused, and the next command runs it again.
  public init(_ name: String, _ main: @escaping Main) {
    self.name = name
    self.main = main
  }

  deinit {
    if let thread = state.withLock({ $0.thread }) { thread.detach() }
  }

  /// Returns a number that no other call of this loop returns.
  public func makeID() -> UInt64 { lastID.wrappingAdd(1, ordering: .relaxed).newValue }

  /// Queues a command; starts the thread if it does not run.
  ///
  /// - Throws: `LupineError` of kind `sessionShutDown` after the end of the loop, or `other` if no thread can be
  ///   started.
  @inlinable
  public func submit(_ command: Command) throws(LupineError) {
    let wakeUp = try state.withLock { (state) throws(LupineError) in
      if state.phase == .idle { try launch(&state) }
      guard state.phase == .running else { throw LupineError.transportShutDown }
      return state.append(command)
    }
    wakeUp?.signal()
  }

  /// Queues a command and returns true; returns false without effect if the loop does not run.
  @discardableResult
  @inlinable
  public func post(_ command: Command) -> Bool {
    let (isRunning, wakeUp) = state.withLock { state in
      state.phase == .running ? (true, state.append(command)) : (false, nil)
    }
    wakeUp?.signal()
    return isRunning
  }

  /// Ends the loop after its last exchange.
  public func stopWhenIdle() {
    let wakeUp = state.withLock { state in
      guard state.phase == .idle else { return state.append(.stopWhenIdle) }
      state.phase = .ended
      return nil
    }
    wakeUp?.signal()
  }

  /// Ends the loop, and returns when its thread has ended.
  public func shutDown() async {
    await withUnsafeContinuation { continuation in
      let (hasEnded, wakeUp) = state.withLock { $0.stop(continuation) }
      wakeUp?.signal()
      if hasEnded { continuation.resume() }
    }
    if let thread = state.withLock({ $0.takeThread() }) { thread.join() }
  }

  @usableFromInline
  func launch(_ state: inout LoopState<Command>) throws(LupineError) {
    let wakeUp = try WakeUp()
    do throws(SystemThread.Failure) {
      // The thread whose loop could not be created, if there is one.
      let failed = state.thread
      state.thread = try SystemThread(name) { [self] in
        failed?.join()
        run(wakeUp)
      }
    } catch {
      throw SystemError(code: error.code).failure("A thread cannot be started")
    }
    state.wakeUp = wakeUp
    state.phase = .running
  }

  private func run(_ wakeUp: WakeUp) {
    do throws(LupineError) {
      try main(self, wakeUp)
      release(state.withLock { $0.end() })
    } catch {
      fail(error)
    }
  }

  /// Refuses the queued commands, because the loop could not be created.
  ///
  /// The next command starts another thread.
  private func fail(_ error: LupineError) {
    var commands: [Command] = []
    let remainder = state.withLock { state in
      state.takeCommands(&commands)
      return state.abort()
    }
    for command in commands { command.refuse(error) }
    release(remainder)
  }

  private func release(_ remainder: LoopState<Command>.Remainder) {
    for job in remainder.jobs { globalConcurrentExecutor.enqueue(ExecutorJob(job)) }
    for waiter in remainder.waiters { waiter.resume() }
  }
}

// For the loop, on its thread.
extension LoopThread {
  /// Moves the queued commands into `commands` and marks the loop as awake.
  ///
  /// The queue reuses the storage of the passed array, which must be empty.
  @inlinable
  public func takeCommands(_ commands: inout [Command]) {
    state.withLock { $0.takeCommands(&commands) }
  }

  /// Runs the queued jobs and the jobs that they add, in a limited number of batches.
  ///
  /// - Returns: whether the loop may sleep. If true, the loop is marked as asleep. True only if `wantsSleep` is true and
  ///   neither a job nor a command is queued.
  @inlinable
  public func runJobs(_ jobs: inout [UnownedJob], thenSleep wantsSleep: Bool) -> Bool {
    for _ in 0..<Self.batches {
      let maySleep = state.withLock { $0.takeJobs(&jobs, wantsSleep: wantsSleep) }
      if jobs.isEmpty { return maySleep }
      for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
      jobs.removeAll(keepingCapacity: true)
    }
    return false
  }

  /// The maximum number of batches of jobs between two polls of the connections.
  @usableFromInline static var batches: Int { 8 }
}

extension LoopThread: TaskExecutor {
  /// Queues a job for the loop's thread, or for the global executor if the loop cannot start or has ended.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let (isQueued, wakeUp) = state.withLock { state -> (Bool, WakeUp?) in
      if state.phase == .idle { try? launch(&state) }
      guard state.phase == .running else { return (false, nil) }
      return (true, state.append(job))
    }
    wakeUp?.signal()
    if !isQueued { globalConcurrentExecutor.enqueue(ExecutorJob(job)) }
  }
}
