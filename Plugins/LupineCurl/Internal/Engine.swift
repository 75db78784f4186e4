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

  init(_ configuration: CurlTransport.Configuration, _ lookups: HostLookups) {
    self.configuration = configuration
    self.lookups = lookups
  }

  /// Queues an exchange and returns its ticket; starts the thread if it does not run.
  func submit(
    _ request: OutgoingRequest, _ context: TransferContext, _ target: Target,
    _ continuation: Submission.Continuation
  ) throws(LupineError) -> Ticket {
    let (ticket, wakeUp) = try state.withLock { (state) throws(LupineError) in
      if state.phase == .idle { try launch(&state) }
      guard state.phase == .running else { throw Self.shutDownError }
      let ticket = Ticket(state.makeID(), self)
      let submission = Submission(
        ticket, request: request, context: context, target: target, continuation: continuation)
      return (ticket, state.append(.start(submission)))
    }
    wakeUp?.ring()
    return ticket
  }

  /// Queues a command; no effect if the loop does not run.
  func post(_ command: Command) {
    let wakeUp = state.withLock { $0.phase == .running ? $0.append(command) : nil }
    wakeUp?.ring()
  }

  /// Counts the connections; all counts are zero if the loop does not run.
  func connectionPool() async -> ConnectionPoolSnapshot {
    await withUnsafeContinuation { continuation in
      let (isRunning, wakeUp) = state.withLock { state -> (Bool, WakeUp?) in
        guard state.phase == .running else { return (false, nil) }
        return (true, state.append(.count(continuation)))
      }
      wakeUp?.ring()
      if !isRunning { continuation.resume(returning: ConnectionPoolSnapshot()) }
    }
  }

  func letGo() {
    let wakeUp = state.withLock { state in
      guard state.phase == .idle else { return state.append(.letGo) }
      state.phase = .ended
      return nil
    }
    wakeUp?.ring()
  }

  func shutDown() async {
    await withUnsafeContinuation { continuation in
      let (isOver, wakeUp) = state.withLock { $0.stop(continuation) }
      wakeUp?.ring()
      if isOver { continuation.resume() }
    }
    if let thread = state.withLock({ $0.takeThread() }) { thread.join() }
  }

  func launch(_ state: inout EngineState) throws(LupineError) {
    let wakeUp = try WakeUp()
    do throws(SystemThread.Failure) {
      state.thread = try SystemThread("lupine-curl") { [self] in run(wakeUp) }
    } catch {
      throw SystemFailure.error("A thread cannot be started", code: error.code)
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

  static let shutDownError = LupineError(
    .sessionShutDown, "The transport has been shut down; make a new one for further requests.")
}

extension Engine {
  /// Moves the queued commands into `commands` and marks the loop as awake.
  ///
  /// The queue reuses the storage of the passed array, which must be empty.
  func takeCommands(_ commands: inout [Command]) {
    state.withLock { $0.take(&commands) }
  }

  /// Fails the queued exchanges, because the loop could not be created.
  ///
  /// The next request tries again.
  private func fail(_ error: LupineError) {
    var commands: [Command] = []
    let rest = state.withLock { state in
      state.take(&commands)
      return state.abort()
    }
    for case .start(let submission) in commands { submission.continuation.resume(returning: .failure(error)) }
    for case .count(let continuation) in commands { continuation.resume(returning: ConnectionPoolSnapshot()) }
    leave(rest)
  }

  /// Ends the engine, as the last step of the thread.
  private func end() { leave(state.withLock { $0.end() }) }

  private func leave(_ rest: EngineState.Rest) {
    for job in rest.jobs { globalConcurrentExecutor.enqueue(ExecutorJob(job)) }
    for waiter in rest.waiters { waiter.resume() }
  }
}
