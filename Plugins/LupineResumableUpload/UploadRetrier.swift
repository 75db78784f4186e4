import HTTPTypes
import LupineCore
import LupineSupport
import Synchronization

/// Retries the attempts of one upload as long as the server has more bytes each time.
final class UploadRetrier: Retrier {
  private struct State {
    var acknowledged: Int64 = 0
    var failures = 0
  }

  private static let statuses: Set<Int> = [500, 502, 503, 504]

  private let upload: ResumableUpload
  private let limit: Int
  private let delay: Duration
  private let state = Mutex(State())

  init(upload: ResumableUpload, limit: Int, delay: Duration) {
    self.upload = upload
    self.limit = limit
    self.delay = delay.bounded
  }

  func decision(for attempt: AttemptOutcome) async -> RetryDecision {
    guard Self.isInterruption(attempt) else { return .doNotRetry }
    guard upload.canBeRepeated || attempt.request.isIdempotent else {
      attempt.note("the server named no location of the upload")
      return .doNotRetry
    }
    let acknowledged = upload.acknowledged
    let failures = state.withLock { state in
      state.failures = acknowledged > state.acknowledged ? 1 : state.failures + 1
      state.acknowledged = acknowledged
      return state.failures
    }
    guard failures <= limit else { return .doNotRetry }
    guard attempt.sessionBudget?.take(for: attempt.request.url) ?? true else {
      attempt.note("the retry budget is spent")
      return .doNotRetry
    }
    return .retry(after: min(.seconds(60), delay * Int(1 << min(failures - 1, 16))))
  }

  var decidesAboutSerializers: Bool { false }

  private static func isInterruption(_ attempt: AttemptOutcome) -> Bool {
    if let status = attempt.response?.status.code, statuses.contains(status) { return true }
    return attempt.error?.isLostConnection ?? false
  }
}
