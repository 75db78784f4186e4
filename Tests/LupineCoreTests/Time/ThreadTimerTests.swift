import Testing

@testable import LupineCore

/// The timers of a process that has no free file descriptor for the timers of the system.
@Suite(.timeLimit(.minutes(1))) struct ThreadTimerTests {
  @Test func `a cancelled sleep ends at once, however long it was to be`() async {
    let sleeper = Task { try await ThreadTimer.sleep(.seconds(3_600)) }
    sleeper.cancel()
    await #expect(throws: CancellationError.self) { try await sleeper.value }
  }

  @Test(arguments: [Duration.zero, .milliseconds(1), .seconds(-1)])
  func `a sleep ends by itself`(time: Duration) async throws {
    try await ThreadTimer.sleep(time)
  }

  @Test func `a timer that is set fires once, and a cancelled one never`() async {
    let (stream, fired) = AsyncStream<String>.makeStream()
    let cancel = ThreadTimer.schedule(.milliseconds(20)) { fired.yield("cancelled") }
    cancel()
    let cancelSet = ThreadTimer.schedule(.milliseconds(40)) {
      fired.yield("set")
      fired.finish()
    }
    var seen: [String] = []
    for await each in stream { seen.append(each) }
    cancelSet()
    #expect(seen == ["set"])
  }

  @Test func `the longest time that there is does not end at once`() async {
    let cancel = ThreadTimer.schedule(.seconds(Int64.max)) { Issue.record("It has ended.") }
    try? await ThreadTimer.sleep(.milliseconds(5))
    cancel()
  }
}
