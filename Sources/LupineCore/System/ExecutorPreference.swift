/// The executor for the unstructured tasks that are made for a request.
///
/// Such a task does not inherit the executor preference of the task that creates it, but it inherits task-local values.
public enum ExecutorPreference {
  /// The executor that the running task prefers.
  @TaskLocal public static var current: (any TaskExecutor)?
}
