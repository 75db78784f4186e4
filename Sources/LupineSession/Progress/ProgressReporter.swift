import HTTPTypes
import LupineCore
import LupineSupport

/// Reports progress to handlers, in order and never decreasing; a slow handler receives only the latest value.
///
/// The request stores the value behind a lock.
struct ProgressReporter: Sendable {
  /// The transfer of the current exchange; throughput and length are computed only for listeners.
  private struct Transfer {
    let base: Int64
    let length: Int64?
    let isAnswer: Bool
    let started: Duration
    var count: Int64 = 0
    var time = Duration.zero

    /// Updates the byte count; `false` if the count is not greater than before.
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
        completed: base + count, total: total.flatMap { $0.overflow ? nil : $0.partialValue }, throughput: throughput,
        elapsed: time, resumedBytes: base)
    }
  }

  private var transfer: Transfer?
  /// Whether the server states what it has of an upload, so that sent bytes do not count.
  private var countsAcknowledged = false
  /// The response fields with the length, read only if there is a listener.
  private var fields: HTTPFields?
  /// The greatest value so far.
  private var farthest: TransferProgress?
  private var listeners: [ProgressListener] = []
  /// The timer that reports the delayed values.
  private var timer: ScheduledTimer?
  /// The instant at which the timer fires.
  private var due: Duration?

  mutating func add(_ listener: ProgressListener) { listeners.append(listener) }

  /// Begins the transfer of an exchange.
  ///
  /// The throughput is that of this exchange, without earlier attempts and the waits between them.
  ///
  /// - Parameters:
  ///   - base: the number of bytes present before the exchange, such as those of a resumed download.
  ///   - length: the total length, if known.
  ///   - isAnswer: whether the response is the requested one. For any other, such as an error page that may be retried,
  ///     only the last value is reported, and only if the request succeeds with it. Evaluated only if there is a
  ///     listener.
  mutating func begin(
    base: Int64 = 0, length: Int64? = nil, fields: HTTPFields? = nil, isAnswer: @autoclosure () -> Bool = true,
    now: Duration
  ) {
    transfer = Transfer(base: base, length: length, isAnswer: listeners.isEmpty || isAnswer(), started: now)
    self.fields = fields
  }

  /// Whether the exchange has transferred bytes, or some were there before it.
  var hasTransferred: Bool { transfer.map { $0.base + $0.count > 0 } ?? false }

  private func progress(of transfer: Transfer) -> TransferProgress {
    transfer.progress(ofLength: transfer.length ?? fields?[values: .contentLength].first.flatMap { Int64($0) })
  }

  /// Updates the number of bytes that the current exchange has transferred.
  ///
  /// - Returns: the instant until which a value is delayed, if a timer is needed.
  mutating func move(to count: Int64, now: Duration) -> Duration? {
    transfer?.move(to: count, now: now) == true ? reportFarther(now) : nil
  }

  /// Like `move(to:now:)`, for the bytes of a request's body; has no effect after `acknowledge`.
  mutating func move(toSent count: Int64, now: Duration) -> Duration? {
    countsAcknowledged ? nil : move(to: count, now: now)
  }

  /// Updates the number of bytes of an upload that the server has, from its beginning; returns the same as `move`.
  mutating func acknowledge(_ count: Int64, of total: Int64?, now: Duration) -> Duration? {
    countsAcknowledged = true
    if let base = transfer?.base {
      _ = transfer?.move(to: count - base, now: now)
    } else {
      begin(base: count, length: total.map { max(0, $0 - count) }, now: now)
    }
    return reportFarther(now)
  }

  /// Reports the position of the current exchange if it is beyond the greatest value so far.
  private mutating func reportFarther(_ now: Duration) -> Duration? {
    guard !listeners.isEmpty, let transfer, transfer.isAnswer else { return nil }
    let progress = self.progress(of: transfer)
    guard progress.completed > farthest?.completed ?? 0 else { return nil }
    farthest = progress
    return report(progress, now)
  }

  private mutating func report(_ progress: TransferProgress, _ now: Duration) -> Duration? {
    var wait: Duration?
    for index in listeners.indices {
      guard let left = listeners[index].take(progress, now) else { continue }
      wait = min(wait ?? left, left)
    }
    guard let wait, due == nil else { return nil }
    due = now + wait
    return due
  }

  /// Stores the requested timer until the last value.
  ///
  /// - Parameter moment: the instant of the timer.
  /// - Returns: the same timer if its instant is no longer the current one. The caller cancels it outside the lock.
  mutating func keep(_ timer: ScheduledTimer, until moment: Duration) -> ScheduledTimer? {
    guard due == moment else { return timer }
    self.timer = timer
    return nil
  }

  /// Reports the values whose intervals are over; returns the same as `move`.
  mutating func reportKept(now: Duration) -> Duration? {
    // Prevents repeated timers if a timer fires too early, for example with a test clock.
    let now = max(now, due ?? now)
    due = nil
    timer = nil
    return farthest.flatMap { report($0, now) }
  }

  /// Sends the last value.
  ///
  /// - Parameter end: the last value; `nil` means the greatest so far.
  /// - Returns: the tasks that end when every handler has received the value, and the timer that the caller cancels
  ///   outside the lock.
  mutating func finish(_ end: TransferProgress? = nil) -> (tasks: [Task<Void, Never>], timer: ScheduledTimer?) {
    guard !listeners.isEmpty else { return ([], nil) }
    due = nil
    let last = end ?? newest
    for listener in listeners { listener.finish(last) }
    defer { listeners = [] }
    return (listeners.map(\.task), timer.take())
  }

  /// The last value of a complete response body: its full size, even if an earlier attempt received more.
  var received: TransferProgress? {
    transfer.map {
      TransferProgress(
        completed: $0.base + $0.count, total: $0.base + $0.count, throughput: $0.throughput, elapsed: $0.time,
        resumedBytes: $0.base)
    }
  }

  /// The last value of a request body, of which the server may have read a part; the greatest so far if it is
  /// incomplete.
  var sent: TransferProgress? {
    let progress = transfer.map { self.progress(of: $0) } ?? TransferProgress(completed: 0, total: 0)
    return progress.completed == progress.total ? progress : newest ?? progress
  }

  /// The greatest value, including values without a listener.
  private var newest: TransferProgress? {
    guard let transfer, transfer.isAnswer, transfer.base + transfer.count > farthest?.completed ?? transfer.base else {
      return farthest
    }
    return progress(of: transfer)
  }
}

/// A progress handler and the last value that it received.
struct ProgressListener: Sendable {
  /// The stream of values for a handler's task; its release ends the task if the request never starts.
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

  init(
    interval: Duration, executor: (any TaskExecutor)?, _ handler: @escaping @Sendable (TransferProgress) async -> Void
  ) {
    let (stream, continuation) = AsyncStream.makeStream(of: TransferProgress.self, bufferingPolicy: .bufferingNewest(1))
    self.interval = interval.bounded
    figures = Figures(continuation)
    task = Task(executorPreference: executor) {
      for await progress in stream { await handler(progress) }
    }
  }

  /// Reports a value unless it was reported before; returns the remaining wait if the interval is not over.
  mutating func take(_ progress: TransferProgress, _ now: Duration) -> Duration? {
    guard progress != last else { return nil }
    if let lastTime, now - lastTime < interval { return lastTime + interval - now }
    lastTime = now
    last = progress
    figures.continuation.yield(progress)
    return nil
  }

  /// Reports the last value, unless it was reported before, without regard to the interval.
  func finish(_ end: TransferProgress?) {
    if let end, end.completed != last?.completed || end.total != last?.total { figures.continuation.yield(end) }
    figures.continuation.finish()
  }
}

/// The progress of a transfer.
public struct TransferProgress: Sendable, Hashable {
  /// The bytes of the body transferred so far, including those before a resumed download.
  public var completed: Int64
  /// The total number of bytes; `nil` if unknown.
  public var total: Int64?
  /// Bytes per second since the start of the current exchange, on the session's clock; initially 0.
  public var throughput: Double
  /// The time from the start of the current exchange to its last byte so far, on the session's clock; `nil` if unknown.
  public var elapsed: Duration?
  /// The bytes of `completed` that were present before the current exchange, such as those of a resumed download.
  public var resumedBytes: Int64

  /// Creates a progress value.
  public init(
    completed: Int64, total: Int64?, throughput: Double = 0, elapsed: Duration? = nil, resumedBytes: Int64 = 0
  ) {
    self.completed = completed
    self.total = total
    self.throughput = throughput
    self.elapsed = elapsed
    self.resumedBytes = resumedBytes
  }

  /// The completed fraction, from 0 to 1; 0 if the total is unknown, 1 if the total is 0.
  public var fractionCompleted: Double {
    guard let total else { return 0 }
    return total > 0 ? min(1, max(0, Double(completed) / Double(total))) : 1
  }
}

extension TransferProgress: CustomStringConvertible {
  /// The number of bytes, and the percentage if the total is known.
  public var description: String {
    guard let total else { return "\(completed) bytes" }
    return "\(completed) of \(total) bytes (\(Int(fractionCompleted * 100)) %)"
  }
}
