import FoundationEssentials
import HTTPTypes
import LupineMock
import Synchronization
import Testing

@testable import LupineCore
@testable import LupineSession

@Suite struct ProgressIntervalTests {
  @Test func `a value that the interval delayed is reported at its end, also if no more bytes arrive`() async throws {
    let clock = TestClock()
    let (moved, movesOn, movedOn, goOn) = (Flag(), Flag(), Flag(), Flag())
    let session = try Session.Builder().clock(clock).transport(
      ClosureTransport { _, context throws(LupineError) in
        let (response, writer) = context.begin(200, [.contentLength: "400"])
        for _ in 0..<2 { _ = try writer.write(Data(count: 100)) }
        moved.raise()
        Task {
          await movesOn.raised()
          _ = try? writer.write(Data(count: 100))
          movedOn.raise()
          await goOn.raised()
          _ = try? writer.write(Data(count: 100))
          writer.finish(metrics: TransferMetrics())
        }
        return response
      }
    ).build()
    let (figures, told) = AsyncStream.makeStream(of: TransferProgress.self)
    let request = session.request(TestBed.url).downloadProgress(interval: .seconds(1)) { told.yield($0) }
    async let value = request.serializingData().value
    var next = figures.makeAsyncIterator()
    await moved.raised()
    #expect(await next.next()?.completed == 200)
    clock.advance(by: .milliseconds(999))
    movesOn.raise()
    await movedOn.raised()
    clock.advance(by: .milliseconds(1))
    // The interval ends here, before the last bytes arrive.
    #expect(await next.next()?.completed == 300)
    goOn.raise()
    #expect(try await value.count == 400)
    #expect(await next.next()?.completed == 400)
  }

  @Test func `a timer that fires before it is kept gives way to the one it asked for`() {
    let cancelled = Mutex<[Int]>([])
    let timers = (0...2).map { number in ScheduledTimer { cancelled.withLock { $0.append(number) } } }
    var reporter = ProgressReporter()
    reporter.add(ProgressListener(interval: .seconds(1), executor: nil) { _ in })
    reporter.begin(length: 9, now: .zero)
    #expect(reporter.move(to: 3, now: .zero) == nil)
    #expect(reporter.move(to: 5, now: .zero) == .seconds(1))
    #expect(reporter.reportKept(now: .seconds(1)) == nil)
    #expect(reporter.move(to: 7, now: .seconds(1)) == .seconds(2))
    reporter.keep(timers[2], until: .seconds(2))?.cancel()
    reporter.keep(timers[1], until: .seconds(1))?.cancel()
    #expect(cancelled.withLock { $0 } == [1])
    let (tasks, timer) = reporter.finish()
    #expect(tasks.count == 1)
    timer?.cancel()
    #expect(cancelled.withLock { $0 } == [1, 2])
  }

  @Test func `a timer that fires too early is taken for the end of the interval`() {
    var reporter = ProgressReporter()
    reporter.add(ProgressListener(interval: .seconds(1), executor: nil) { _ in })
    reporter.begin(length: 9, now: .zero)
    #expect(reporter.move(to: 3, now: .zero) == nil)
    #expect(reporter.move(to: 5, now: .zero) == .seconds(1))
    #expect(reporter.move(to: 7, now: .zero) == nil)
    #expect(reporter.reportKept(now: .zero) == nil)
    #expect(reporter.move(to: 9, now: .zero) == .seconds(2))
    #expect(reporter.finish().tasks.count == 1)
  }
}
