import HTTPTypes
import LupineCore

/// Tells handlers how far a transfer has come: in order, never going back, and the latest figure where a handler is slow.
///
/// A value that its request keeps behind a lock, since few requests have a handler of the kind.
struct ProgressReporter: Sendable {
  typealias Handler = @Sendable (TransferProgress) async -> Void

  /// What the current exchange moves; its division and its length wait for somebody who listens.
  private struct Transfer {
    let base: Int64
    let length: Int64?
    let isAnswer: Bool
    let started: Duration
    var count: Int64 = 0
    var time = Duration.zero

    /// Takes what has been moved; false where that is not more than before.
    mutating func move(to count: Int64, now: Duration) -> Bool {
      guard count > self.count else { return false }
      self.count = count
      time = now - started
      return true
    }

    var throughput: Double { time > .zero ? Double(count) / (time / .seconds(1)) : 0 }

    func progress(ofLength length: Int64?) -> TransferProgress {
      let total = length.map { base.addingReportingOverflow($0) }
      return TransferProgress(
        completed: base + count, total: total.flatMap { $0.overflow ? nil : $0.partialValue }, throughput: throughput)
    }
  }

  private var transfer: Transfer?
  /// The fields that tell its length, where they do, which only somebody who listens need have read.
  private var fields: HTTPFields?
  /// The farthest figure so far.
  private var farthest: TransferProgress?
  private var listeners: [ProgressListener] = []
  /// What will tell the figures that intervals keep back.
  private var timer: ScheduledTimer?
  /// When it will.
  private var due: Duration?

  mutating func add(interval: Duration, executor: (any TaskExecutor)?, _ handler: @escaping Handler) {
    listeners.append(ProgressListener(interval: interval, executor: executor, handler))
  }

  /// Notes what was there before the exchange, as on a resumed download, and the length in all; the speed is that of the
  /// exchange, without the attempts before it and the waits between them.
  ///
  /// - Parameters:
  ///   - isAnswer: whether it is what was asked for. Of another, such as an error's page, which may yet be retried, only
  ///     the last figure is told, where it was the answer after all. Asked where somebody listens.
  mutating func begin(
    base: Int64 = 0, length: Int64? = nil, toldBy fields: HTTPFields? = nil, isAnswer: @autoclosure () -> Bool = true,
    now: Duration
  ) {
    transfer = Transfer(base: base, length: length, isAnswer: listeners.isEmpty || isAnswer(), started: now)
    self.fields = fields
  }

  private func progress(of transfer: Transfer) -> TransferProgress {
    transfer.progress(ofLength: transfer.length ?? fields?[values: .contentLength].first.flatMap { Int64($0) })
  }

  /// Takes the bytes that the current exchange has moved.
  ///
  /// - Returns: until when a figure is to be kept back, where a timer is needed for that.
  mutating func move(to count: Int64, now: Duration) -> Duration? {
    guard transfer?.move(to: count, now: now) == true, !listeners.isEmpty, let transfer, transfer.isAnswer else {
      return nil
    }
    let progress = self.progress(of: transfer)
    if let farthest, farthest.completed >= progress.completed { return nil }
    farthest = progress
    return tell(progress, now)
  }

  private mutating func tell(_ progress: TransferProgress, _ now: Duration) -> Duration? {
    var wait: Duration?
    for index in listeners.indices {
      guard let left = listeners[index].take(progress, now) else { continue }
      wait = min(wait ?? left, left)
    }
    guard let wait, due == nil else { return nil }
    due = now + wait
    return due
  }

  /// Keeps the timer that was asked for; it is over with the last figure.
  ///
  /// - Parameter moment: until when it was to be. One that is over already may have asked for another.
  mutating func keep(_ timer: ScheduledTimer, until moment: Duration) {
    if due == moment { self.timer = timer } else { timer.cancel() }
  }

  /// Tells the figures whose intervals are over; returns as `move` does.
  mutating func tellKept(now: Duration) -> Duration? {
    // A timer that fires too early, as of a test's clock, is not set again and again.
    let now = max(now, due ?? now)
    due = nil
    timer = nil
    return farthest.flatMap { tell($0, now) }
  }

  /// Sends the last figure; every handler has had it when these tasks have ended.
  ///
  /// - Parameter end: the last figure; `nil` means the farthest so far.
  mutating func finish(_ end: TransferProgress? = nil) -> [Task<Void, Never>] {
    guard !listeners.isEmpty else { return [] }
    timer?.cancel()
    timer = nil
    due = nil
    let last = end ?? newest
    for listener in listeners { listener.finish(last) }
    defer { listeners = [] }
    return listeners.map(\.task)
  }

  /// The last figure of a body that has arrived to its end: all of it, also where that is less than came before a new
  /// beginning.
  var received: TransferProgress? {
    transfer.map {
      TransferProgress(completed: $0.base + $0.count, total: $0.base + $0.count, throughput: $0.throughput)
    }
  }

  /// The last figure of a body that has gone out as far as the server wanted it; the farthest so far where that is not
  /// its end.
  var sent: TransferProgress? {
    let progress = transfer.map { self.progress(of: $0) } ?? TransferProgress(completed: 0, total: 0)
    return progress.completed == progress.total ? progress : newest ?? progress
  }

  /// The farthest figure, be it one that nobody listened to.
  private var newest: TransferProgress? {
    guard let transfer, transfer.isAnswer, transfer.base + transfer.count > farthest?.completed ?? transfer.base else {
      return farthest
    }
    return progress(of: transfer)
  }
}

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
