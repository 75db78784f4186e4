import LupineSupport

/// The tasks that wait until an actor resumes all of them.
struct WaitingTasks {
  private var waiters: [Waiter<Void>] = []

  /// Adds a waiter, on which the task then waits.
  mutating func add() -> Waiter<Void> {
    let waiter = Waiter<Void>()
    waiters.append(waiter)
    return waiter
  }

  mutating func remove(_ waiter: Waiter<Void>) { waiters.removeAll { $0 === waiter } }

  mutating func resumeAll() {
    let waiting = waiters
    waiters = []
    for waiter in waiting { waiter.resume(returning: ()) }
  }
}
