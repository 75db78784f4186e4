import LupineSession

/// The facts that could not be stored, because the disk is full or a lock is held, and the timer of the next try.
struct Backlog {
  /// The inputs in their order, such as the ends of transfers.
  private(set) var inputs: [QueueMachine.Input] = []
  /// Whether another process has changed the database, and the change could not be read.
  private(set) var hasNotice = false
  private(set) var timer: ScheduledTimer?
  private var delay = Duration.seconds(1)

  mutating func add(_ input: QueueMachine.Input) { inputs.append(input) }

  mutating func addNotice() { hasNotice = true }

  /// Removes the states of the network: a newer one replaces them.
  mutating func removeNetworkStates() { inputs.removeAll { if case .network = $0 { true } else { false } } }

  /// Calls the closure after a second, and after twice as long with each further try, up to a minute.
  ///
  /// Does nothing while a timer is set.
  mutating func retry(on clock: SessionClock, _ action: @escaping @Sendable () -> Void) {
    guard timer == nil else { return }
    timer = clock.schedule(delay, action)
    delay = min(delay * 2, .seconds(60))
  }

  mutating func cancelTimer() {
    timer?.cancel()
    timer = nil
  }

  /// Removes the facts of an earlier value, which are stored now.
  mutating func remove(_ stored: Backlog) {
    inputs.removeFirst(stored.inputs.count)
    if stored.hasNotice { hasNotice = false }
    delay = .seconds(1)
  }
}
