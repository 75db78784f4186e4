import LupineCore
import Synchronization

extension RequestExecution {
  /// Which of a request's bodies moves.
  enum Direction {
    case upload
    case download
  }

  /// Tells a figure of progress that an interval keeps back, once the interval is over.
  func tellProgress(_ direction: Direction, at moment: Duration) {
    let wait = max(moment - session.clock.now(), .zero)
    // Outside the lock, since a clock may fire at once.
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

  /// Sends the last figures of progress; every handler has had them when these tasks have ended.
  func finishProgress(isGood: Bool) -> [Task<Void, Never>] {
    let sent = upload.withLock { $0.finish(isGood ? $0.sent : nil) }
    let received = download.withLock { $0.finish(isGood ? $0.received : nil) }
    return sent.isEmpty ? received : sent + received
  }
}
