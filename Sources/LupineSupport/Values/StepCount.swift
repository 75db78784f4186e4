import Synchronization

/// Counts the steps of queues in debug builds, so that tests can show how the work grows with the number of elements.
///
/// A step is one element that a queue visits or compares. Queues count with `assert(StepCount.add())`, which release
/// builds omit.
public final class StepCount: Sendable {
  @TaskLocal private static var current: StepCount?
  private let steps = Atomic(0)

  private init() {}

  /// Adds steps to the count of the running task, if it has one; returns true.
  public static func add(_ count: Int = 1) -> Bool {
    current?.steps.wrappingAdd(count, ordering: .relaxed)
    return true
  }

  /// Returns the number of steps in an operation and its child tasks; always 0 in release builds.
  public static func count(in operation: () async throws -> Void) async rethrows -> Int {
    let count = StepCount()
    try await $current.withValue(count) { try await operation() }
    return count.steps.load(ordering: .relaxed)
  }
}
