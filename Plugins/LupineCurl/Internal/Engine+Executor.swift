import Synchronization

extension Engine: TaskExecutor {
  /// Queues a job for the loop's thread, or for the global executor if the loop cannot start or has ended.
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let (isTaken, wakeUp) = state.withLock { state -> (Bool, WakeUp?) in
      if state.phase == .idle { try? launch(&state) }
      guard state.phase == .running else { return (false, nil) }
      return (true, state.append(job))
    }
    wakeUp?.ring()
    if !isTaken { globalConcurrentExecutor.enqueue(ExecutorJob(job)) }
  }

  /// Runs the queued jobs and the jobs that they add, in a limited number of batches.
  ///
  /// - Returns: whether the loop may sleep. If true, the engine has marked the loop as asleep. True only if
  ///   `wantsSleep` is true and neither a job nor a command is queued.
  func runJobs(_ jobs: inout [UnownedJob], thenSleep wantsSleep: Bool) -> Bool {
    for _ in 0..<Self.batches {
      let maySleep = state.withLock { $0.rest(&jobs, wantsSleep: wantsSleep) }
      if jobs.isEmpty { return maySleep }
      for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
      jobs.removeAll(keepingCapacity: true)
    }
    return false
  }

  /// The maximum number of batches of jobs between two polls of the connections.
  private static let batches = 8
}
