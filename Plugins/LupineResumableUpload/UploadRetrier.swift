import HTTPTypes
import LupineCore
import LupineSupport
import Synchronization

/// Retries the attempts of one upload as long as the server has more bytes each time.
final class UploadRetrier: Retrier {
  private static let statuses: Set<Int> = [500, 502, 503, 504]

  private let upload: ResumableUpload
  private let backoff: Mutex<ResumeBackoff>

  init(upload: ResumableUpload, limit: Int, delay: Duration) {
    self.upload = upload
    backoff = Mutex(ResumeBackoff(limit: limit, delay: delay.bounded))
  }

  func decision(for attempt: AttemptOutcome) async -> RetryDecision {
    guard Self.isInterruption(attempt) else { return .doNotRetry }
    guard upload.canBeRepeated || attempt.request.isIdempotent else {
      attempt.note("the server named no location of the upload")
      return .doNotRetry
    }
    let acknowledged = upload.acknowledged
    guard let delay = backoff.withLock({ $0.delayAfterFailure(progress: acknowledged) }) else { return .doNotRetry }
    guard attempt.sessionBudget?.take(for: attempt.request.url) ?? true else {
      attempt.note("the retry budget is spent")
      return .doNotRetry
    }
    return .retry(after: delay)
  }

  var decidesAboutSerializers: Bool { false }

  private static func isInterruption(_ attempt: AttemptOutcome) -> Bool {
    if let status = attempt.response?.status.code, statuses.contains(status) { return true }
    return attempt.error?.isLostConnection ?? false
  }
}
