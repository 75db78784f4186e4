import LupineCore

/// The task that hears of the states of the network.
struct NetworkWatch {
  private var task: Task<Void, Never>?

  /// Calls the closure with each state until it returns false; does nothing if the watch has begun.
  ///
  /// - Parameter hear: receives whether there is a network.
  mutating func begin(
    _ source: any NetworkConditionsSource, on executor: (any TaskExecutor)?,
    _ hear: @escaping @Sendable (Bool) async -> Bool
  ) {
    guard task == nil else { return }
    task = Task(executorPreference: executor) {
      for await conditions in source.conditionUpdates() {
        guard await hear(conditions.availability != .unavailable) else { return }
      }
    }
  }

  func cancel() { task?.cancel() }
}
