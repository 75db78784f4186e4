public import LupineCore
import LupineSupport
import Synchronization

/// The thread of an event loop, with the queue of its commands; it also runs tasks.
///
/// The thread starts with the first command or job, and retains this object until it ends. Only the thread uses the loop.
public final class LoopThread: Sendable {
  /// Creates a loop and runs it until its end.
  public typealias Main = @Sendable (LoopThread, WakeUp) throws(LupineError) -> Void

  private let state = Mutex(LoopState())
  private let name: String
  private let main: Main
  /// The number of the running thread; 0 if there is none.
  private let number = Atomic<UInt>(0)
  private static let lastID = Atomic<UInt64>(0)

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

  /// Returns a number that no other call returns in this process; later calls return greater numbers.
  public static func makeID() -> UInt64 { lastID.wrappingAdd(1, ordering: .relaxed).newValue }

  /// Whether the caller runs on this thread.
  public var isCurrent: Bool { number.load(ordering: .relaxed) == ThreadNumber.current }

  /// Queues a command; starts the thread if it does not run.
  ///
  /// - Throws: `LupineError` of kind `sessionShutDown` after the end of the loop, or `other` if no thread can be
  ///   started.
  public func submit(_ command: LoopCommand) throws(LupineError) {
    let wakeUp = try state.withLock { (state) throws(LupineError) in
      if state.phase == .idle { try launch(&state) }
      guard state.phase == .running else { throw LupineError.transportShutDown }
      return state.append(command)
    }
    wakeUp?.signal()
  }

  /// Queues a command and returns true; returns false without effect if the loop does not run.
  @discardableResult
  public func post(_ command: LoopCommand) -> Bool {
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

  private func launch(_ state: inout LoopState) throws(LupineError) {
    let wakeUp: WakeUp
    do throws(SystemError) { wakeUp = try WakeUp() } catch { throw error.failure("An eventfd cannot be created") }
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
    number.store(ThreadNumber.current, ordering: .relaxed)
    defer { number.store(0, ordering: .relaxed) }
    do throws(LupineError) {
      try main(self, wakeUp)
      release(state.withLock { $0.end() }, refusing: .transportShutDown)
    } catch {
      // The next command starts another thread.
      release(state.withLock { $0.abort() }, refusing: error)
    }
  }

  /// Refuses the queued commands with the error, and runs the queued jobs elsewhere.
  private func release(_ remainder: LoopState.Remainder, refusing error: LupineError) {
    for command in remainder.commands { command.refuse(error) }
    for job in remainder.jobs { globalConcurrentExecutor.enqueue(ExecutorJob(job.job)) }
    for waiter in remainder.waiters { waiter.resume() }
  }
}

// For the transport, from any thread.
extension LoopThread {
  /// Sends an exchange to the loop, and returns its response.
  ///
  /// - Parameter target: the addresses of the host, if the caller has resolved them. Default: none.
  /// - Throws: the error of the exchange, or of a loop that cannot start or has ended.
  public func send(
    _ request: OutgoingRequest, in context: TransferContext, to target: ResolvedTarget = ResolvedTarget()
  ) async throws(LupineError) -> TransportResponse {
    let ticket = Ticket(self)
    let reader = try await Self.openBody(of: request, in: context, ticket)
    let result: Submission.Outcome = await withUnsafeContinuation { continuation in
      do throws(LupineError) {
        try submit(.start(Submission(ticket, request, context, target, reader, continuation)))
      } catch {
        reader?.cancel()
        return continuation.resume(returning: .failure(error))
      }
      context.onCancel { ticket.post(.cancelled) }
    }
    switch consume result {
    case .success(let response): return response
    case .failure(let error): throw error
    }
  }

  /// Opens a body in memory; `nil` if the request has none.
  ///
  /// The exchange opens any other body when the limits on connections admit it, so that waiting exchanges hold no files.
  private static func openBody(
    of request: OutgoingRequest, in context: TransferContext, _ ticket: Ticket
  ) async throws(LupineError) -> (any BodyReader)? {
    guard request.hasBody, case .bytes = request.body.source else { return nil }
    return try await context.makeReader(for: request.body) { ticket.post(.hasBytes) }
  }

  /// Counts the connections and the waiting exchanges; none if the loop does not run.
  public func connectionPool() async -> ConnectionPoolSnapshot {
    await withUnsafeContinuation { continuation in
      if !post(.countConnections(continuation)) { continuation.resume(returning: ConnectionPoolSnapshot()) }
    }
  }
}

// For the loop, on its thread.
extension LoopThread {
  /// Moves the queued commands into `commands` and marks the loop as awake.
  ///
  /// The queue reuses the storage of the passed array, which must be empty.
  public func takeCommands(_ commands: inout [LoopCommand]) {
    state.withLock { $0.takeCommands(&commands) }
  }

  /// Runs the queued jobs and the jobs that they add, in a limited number of batches.
  ///
  /// - Returns: whether the loop may sleep. If true, the loop is marked as asleep. True only if `wantsSleep` is true and
  ///   neither a job nor a command is queued.
  public func runJobs(_ jobs: inout [LoopJob], thenSleep wantsSleep: Bool) -> Bool {
    for _ in 0..<Self.batches {
      let maySleep = state.withLock { $0.takeJobs(&jobs, wantsSleep: wantsSleep) }
      if jobs.isEmpty { return maySleep }
      for job in jobs { job.job.runSynchronously(on: job.executor) }
      jobs.removeAll(keepingCapacity: true)
    }
    return false
  }

  /// The maximum number of batches of jobs between two polls of the connections.
  private static let batches = 8
}

extension LoopThread: TaskExecutor {
  /// Queues a job for the loop's thread, or for the global executor if the loop cannot start or has ended.
  public func enqueue(_ job: consuming ExecutorJob) { run(LoopJob(job, for: asUnownedTaskExecutor())) }

  /// Queues a job of an executor whose jobs run on several threads, as `enqueue(_:)` does.
  public func run(_ job: LoopJob) {
    let (isQueued, wakeUp) = state.withLock { state -> (Bool, WakeUp?) in
      if state.phase == .idle { try? launch(&state) }
      guard state.phase == .running else { return (false, nil) }
      return (true, state.append(job))
    }
    wakeUp?.signal()
    if !isQueued { globalConcurrentExecutor.enqueue(ExecutorJob(job.job)) }
  }
}

/// A job of a task that runs on the thread of a loop.
public struct LoopJob: Sendable {
  let job: UnownedJob
  /// The executor that the task prefers.
  let executor: UnownedTaskExecutor

  /// Wraps a job that was passed to this executor.
  public init(_ job: consuming ExecutorJob, for executor: UnownedTaskExecutor) {
    self.job = UnownedJob(job)
    self.executor = executor
  }
}
