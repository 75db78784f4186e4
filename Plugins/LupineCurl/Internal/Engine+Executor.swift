import Synchronization

extension Engine: TaskExecutor {
  /// Queues a job for the loop's thread; the global executor takes it where there is no loop, or none any more.
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

  /// Runs the jobs that wait, and those that they lead to; some are left for later where there is no end of them.
  ///
  /// - Returns: whether nothing waits, so that the loop may sleep, of which note is taken where it wants to.
  func runJobs(_ jobs: inout [UnownedJob], thenSleep wantsSleep: Bool) -> Bool {
    for _ in 0..<Self.batches {
      let maySleep = state.withLock { $0.rest(&jobs, wantsSleep: wantsSleep) }
      if jobs.isEmpty { return maySleep }
      for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
      jobs.removeAll(keepingCapacity: true)
    }
    return false
  }

  /// Batches of jobs between two looks at the connections.
  private static let batches = 8
}
