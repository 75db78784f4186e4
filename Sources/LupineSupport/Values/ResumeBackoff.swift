/// Limits the attempts of a transfer that resumes, and states the delays before them.
///
/// Each delay is twice the one before, up to one minute. An attempt with progress resets both.
public struct ResumeBackoff: Sendable {
  private let limit: Int
  private let delay: Duration
  private var progress: Int64 = 0
  private var failures = 0

  /// Creates the backoff before the first attempt.
  ///
  /// - Parameters:
  ///   - limit: the maximum number of consecutive retries without progress.
  ///   - delay: the delay before the first of them.
  public init(limit: Int, delay: Duration) {
    self.limit = limit
    self.delay = delay
  }

  /// Counts a failed attempt; returns the delay before the next one, or `nil` if the limit is reached.
  ///
  /// - Parameter progress: the number of bytes that all attempts together have transferred.
  public mutating func delayAfterFailure(progress: Int64) -> Duration? {
    failures = progress > self.progress ? 1 : failures + 1
    self.progress = progress
    guard failures <= limit else { return nil }
    return min(.seconds(60), delay * (1 << min(failures - 1, 16)))
  }
}
