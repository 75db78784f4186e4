import Synchronization

/// Tells handlers how far a transfer has come: in order, never going back, and the latest figure where a handler is slow.
final class ProgressReporter: Sendable {
  typealias Handler = @Sendable (TransferProgress) async -> Void

  fileprivate struct Listener {
    let interval: Duration
    let continuation: AsyncStream<TransferProgress>.Continuation
    let task: Task<Void, Never>
    var lastReport: Duration?
  }

  private struct State {
    var latest = TransferProgress(completed: 0, total: nil)
    var reported: Int64 = -1
    var base: Int64 = 0
    var started: Duration?
    var listeners: [Listener] = []
  }

  private let state = Mutex(State())

  /// A request that is never started lets go of its listeners, whose tasks must not wait for ever.
  deinit { state.withLock { $0.listeners.forEach { $0.continuation.finish() } } }

  func add(interval: Duration, executor: (any TaskExecutor)?, _ handler: @escaping Handler) {
    let (stream, continuation) = AsyncStream.makeStream(of: TransferProgress.self, bufferingPolicy: .bufferingNewest(1))
    let task = Task(executorPreference: executor) {
      for await progress in stream { await handler(progress) }
    }
    state.withLock { $0.listeners.append(Listener(interval: interval, continuation: continuation, task: task)) }
  }

  /// Notes what was there before the exchange, as on a resumed download, and the length in all.
  func begin(base: Int64 = 0, total: Int64?, now: Duration) {
    state.withLock { state in
      state.base = base
      state.latest.total = total
      if state.started == nil { state.started = now }
    }
  }

  /// Takes the bytes that the current exchange has moved.
  func move(to count: Int64, now: Duration) {
    state.withLock { state in
      let completed = state.base + count
      guard completed > state.reported else { return }
      state.reported = completed
      state.latest.completed = completed
      state.latest.throughput = Self.throughput(count, since: state.started, now)
      for index in state.listeners.indices { state.listeners[index].report(state.latest, now) }
    }
  }

  /// Sends the last figure and waits until every handler has had it.
  func finish() async {
    let tasks = state.withLock { state in
      for listener in state.listeners {
        if state.reported >= 0 { listener.continuation.yield(state.latest) }
        listener.continuation.finish()
      }
      defer { state.listeners = [] }
      return state.listeners.map(\.task)
    }
    for task in tasks { await task.value }
  }

  private static func throughput(_ count: Int64, since start: Duration?, _ now: Duration) -> Double {
    guard let start, now > start else { return 0 }
    return Double(count) / ((now - start) / .seconds(1))
  }
}

extension ProgressReporter.Listener {
  fileprivate mutating func report(_ progress: TransferProgress, _ now: Duration) {
    if let lastReport, now - lastReport < interval { return }
    lastReport = now
    continuation.yield(progress)
  }
}
