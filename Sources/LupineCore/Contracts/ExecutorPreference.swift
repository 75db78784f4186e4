/// Where unstructured tasks run that are made on a request's behalf.
///
/// Such a task does not inherit its maker's executor preference, but it does inherit task-local values.
public enum ExecutorPreference {
  /// The executor that the running task prefers.
  @TaskLocal public static var current: (any TaskExecutor)?
}
