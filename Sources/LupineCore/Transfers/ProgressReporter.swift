import HTTPTypes

/// Tells handlers how far a transfer has come: in order, never going back, and the latest figure where a handler is slow.
///
/// A value that its request keeps behind a lock, since few requests have a handler of the kind.
struct ProgressReporter: Sendable {
  typealias Handler = @Sendable (TransferProgress) async -> Void

  private struct Listener {
    let interval: Duration
    let figures: Figures
    let task: Task<Void, Never>
    var lastReport: Duration?
    var lastCompleted: Int64 = -1

    mutating func report(_ progress: TransferProgress, _ now: Duration) {
      if let lastReport, now - lastReport < interval { return }
      lastReport = now
      lastCompleted = progress.completed
      figures.continuation.yield(progress)
    }
  }

  /// What a handler's task waits for; a request that is never started lets go of it, and the task ends.
  private final class Figures: Sendable {
    let continuation: AsyncStream<TransferProgress>.Continuation

    init(_ continuation: AsyncStream<TransferProgress>.Continuation) { self.continuation = continuation }

    deinit { continuation.finish() }
  }

  /// What the exchange had moved, since when and until when; its division waits for somebody who listens.
  private struct Pace {
    var count: Int64 = 0
    var started: Duration?
    var ended = Duration.zero

    var throughput: Double {
      guard let started, ended > started else { return 0 }
      return Double(count) / ((ended - started) / .seconds(1))
    }
  }

  /// The bytes that an exchange will move, which are told by fields that only somebody who listens need have read.
  enum Length {
    case known(Int64?)
    case told(by: HTTPFields)

    fileprivate var count: Int64? {
      switch self {
      case .known(let count): count
      case .told(let fields): fields[values: .contentLength].first.flatMap { Int64($0) }
      }
    }
  }

  private var pace = Pace()
  private var length = Length.known(nil)
  private var reported: Int64 = -1
  private var base: Int64 = 0
  private var started: Duration?
  private var listeners: [Listener] = []

  mutating func add(interval: Duration, executor: (any TaskExecutor)?, _ handler: @escaping Handler) {
    let (stream, continuation) = AsyncStream.makeStream(of: TransferProgress.self, bufferingPolicy: .bufferingNewest(1))
    let task = Task(executorPreference: executor) {
      for await progress in stream { await handler(progress) }
    }
    listeners.append(Listener(interval: interval, figures: Figures(continuation), task: task))
  }

  /// Notes what was there before the exchange, as on a resumed download, and the length in all; the speed is that of the
  /// exchange, without the attempts before it and the waits between them.
  mutating func begin(base: Int64 = 0, _ length: Length, now: Duration) {
    self.base = base
    self.length = length
    started = now
  }

  /// Takes the bytes that the current exchange has moved.
  mutating func move(to count: Int64, now: Duration) {
    let completed = base + count
    guard completed > reported else { return }
    reported = completed
    pace = Pace(count: count, started: started, ended: now)
    for index in listeners.indices { listeners[index].report(progress, now) }
  }

  /// Sends the last figure; every handler has had it when these tasks have ended.
  mutating func finish() -> [Task<Void, Never>] {
    guard !listeners.isEmpty else { return [] }
    for listener in listeners {
      if reported > listener.lastCompleted { listener.figures.continuation.yield(progress) }
      listener.figures.continuation.finish()
    }
    defer { listeners = [] }
    return listeners.map(\.task)
  }

  private var progress: TransferProgress {
    var progress = TransferProgress(completed: max(0, reported), total: nil)
    progress.throughput = pace.throughput
    let total = length.count.map { base.addingReportingOverflow($0) }
    progress.total = total.flatMap { $0.overflow ? nil : $0.partialValue }
    return progress
  }
}
