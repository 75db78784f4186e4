import LupineSupport
import Testing

@Suite struct ResumeBackoffTests {
  @Test func `delays double up to a minute, and progress resets them`() {
    var backoff = ResumeBackoff(limit: 8, delay: .seconds(1))
    #expect(
      [0, 0, 0, 10, 10, 10, 10, 10, 10, 10, 10, 10, 11].map { backoff.delayAfterFailure(progress: $0) } == [
        .seconds(1), .seconds(2), .seconds(4),
        .seconds(1), .seconds(2), .seconds(4), .seconds(8), .seconds(16), .seconds(32), .seconds(60), .seconds(60), nil,
        .seconds(1),
      ])
  }

  @Test(arguments: [0, -1, .min]) func `a limit below one permits no retry`(limit: Int) {
    var backoff = ResumeBackoff(limit: limit, delay: .zero)
    #expect(backoff.delayAfterFailure(progress: 1) == nil)
  }
}
