import LupineCore

extension CurlTransport {
  /// Runs tasks on the transport's own thread.
  ///
  /// Responses arrive on this thread, so a task that runs here awaits a response without a change of thread. A program
  /// opts in with `withTaskExecutorPreference(transport.executor) { … }`, and for its handlers with
  /// `Session.Builder.executor(_:)`. Code that blocks or computes for a long time on this thread delays every transfer
  /// of the transport. After `shutdown()` the tasks run on the global executor.
  public var executor: some TaskExecutor { engine }
}
