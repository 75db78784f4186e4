import LupineCore
import LupineSupport
import Synchronization

/// The progress of a request's two bodies, each behind a lock of its own.
///
/// Any thread may call the methods. Timers are scheduled and cancelled outside the locks, because a clock may fire at
/// once.
struct RequestProgress: ~Copyable, Sendable {
  enum Direction {
    case upload
    case download
  }

  private let upload = Mutex(ProgressReporter())
  private let download = Mutex(ProgressReporter())

  /// Reads or changes the progress of a body.
  func report<Value>(
    of direction: Direction, _ change: (inout sending ProgressReporter) -> sending Value
  ) -> sending Value {
    switch direction {
    case .upload: upload.withLock(change)
    case .download: download.withLock(change)
    }
  }

  /// Reports the last values; the returned tasks end when every handler has received them.
  ///
  /// - Parameter isGood: whether both bodies are complete, because the request has succeeded.
  func finish(isGood: Bool) -> [Task<Void, Never>] {
    let sent = upload.withLock { $0.finish(isGood ? $0.sent : nil) }
    let received = download.withLock { $0.finish(isGood ? $0.received : nil) }
    sent.timer?.cancel()
    received.timer?.cancel()
    return sent.tasks.isEmpty ? received.tasks : sent.tasks + received.tasks
  }
}
