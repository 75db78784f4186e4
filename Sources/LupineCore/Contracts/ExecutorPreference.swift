/// Where unstructured tasks run that are made on a request's behalf.
///
/// Such a task does not inherit its maker's executor preference, but it does inherit task-local values.
package enum ExecutorPreference {
  @TaskLocal package static var current: (any TaskExecutor)?
}
