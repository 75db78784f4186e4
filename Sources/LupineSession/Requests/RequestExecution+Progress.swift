import LupineCore
import Synchronization

extension RequestExecution {
  /// The body whose progress is reported.
  enum Direction {
    case upload
    case download
  }

  /// Schedules the report of a progress value that the interval delays.
  func tellProgress(_ direction: Direction, at moment: Duration) {
    let wait = max(moment - session.clock.now(), .zero)
    // Scheduled outside the lock, because a clock may fire at once.
    let timer = session.clock.schedule(wait) { [weak self] in self?.tellKeptProgress(direction) }
    switch direction {
    case .upload: upload.withLock { $0.keep(timer, until: moment) }
    case .download: download.withLock { $0.keep(timer, until: moment) }
    }
  }

  private func tellKeptProgress(_ direction: Direction) {
    let now = session.clock.now()
    let moment =
      switch direction {
      case .upload: upload.withLock { $0.tellKept(now: now) }
      case .download: download.withLock { $0.tellKept(now: now) }
      }
    if let moment { tellProgress(direction, at: moment) }
  }

  /// Stops the reports of progress, which the handlers have not been called with yet.
  package func stopProgress() { _ = finishProgress(isGood: false) }

  /// Reports the last progress values; the returned tasks end when every handler has received them.
  func finishProgress(isGood: Bool) -> [Task<Void, Never>] {
    let sent = upload.withLock { $0.finish(isGood ? $0.sent : nil) }
    let received = download.withLock { $0.finish(isGood ? $0.received : nil) }
    return sent.isEmpty ? received : sent + received
  }
}
