import LupineCore

extension CurlTransport {
  /// Runs tasks on the transport's own thread, where responses arrive, so that awaiting one changes no thread.
  ///
  /// A program opts in with `withTaskExecutorPreference(transport.executor) { … }`, and for its handlers with
  /// `Session.Builder.executor(_:)`. Code that blocks there, or computes for long, holds up every transfer of the
  /// transport. Once the transport has been shut down, tasks run on the global executor.
  public var executor: some TaskExecutor { engine }
}
