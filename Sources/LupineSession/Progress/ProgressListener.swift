/// A handler of progress, and what it has been told.
struct ProgressListener: Sendable {
  /// What a handler's task waits for; a request that is never started lets go of it, and the task ends.
  private final class Figures: Sendable {
    let continuation: AsyncStream<TransferProgress>.Continuation

    init(_ continuation: AsyncStream<TransferProgress>.Continuation) { self.continuation = continuation }

    deinit { continuation.finish() }
  }

  /// The task that calls the handler; it ends after the last figure.
  let task: Task<Void, Never>
  private let interval: Duration
  private let figures: Figures
  private var lastTime: Duration?
  private var last: TransferProgress?

  init(interval: Duration, executor: (any TaskExecutor)?, _ handler: @escaping ProgressReporter.Handler) {
    let (stream, continuation) = AsyncStream.makeStream(of: TransferProgress.self, bufferingPolicy: .bufferingNewest(1))
    self.interval = interval
    figures = Figures(continuation)
    task = Task(executorPreference: executor) {
      for await progress in stream { await handler(progress) }
    }
  }

  /// Tells a figure unless it has been told; returns how long it must wait where the interval is not over.
  mutating func take(_ progress: TransferProgress, _ now: Duration) -> Duration? {
    guard progress != last else { return nil }
    if let lastTime, now - lastTime < interval { return lastTime + interval - now }
    lastTime = now
    last = progress
    figures.continuation.yield(progress)
    return nil
  }

  /// Tells the last figure, unless it has been told, whatever the interval; no other comes after it.
  func finish(_ end: TransferProgress?) {
    if let end, end.completed != last?.completed || end.total != last?.total { figures.continuation.yield(end) }
    figures.continuation.finish()
  }
}
