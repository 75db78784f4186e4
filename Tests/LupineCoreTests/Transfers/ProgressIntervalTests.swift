import FoundationEssentials
import HTTPTypes
import LupineMock
import Testing

@testable import LupineCore

@Suite struct ProgressIntervalTests {
  @Test func `a figure that the interval kept back comes at its end, also where nothing moves any more`() async throws {
    let clock = TestClock()
    let (moved, goOn) = (Flag(), Flag())
    let session = try Session.Builder().clock(clock).transport(
      ClosureTransport { _, context throws(LupineError) in
        let (response, writer) = context.begin(200, [.contentLength: "300"])
        for _ in 0..<2 { _ = try writer.write(Data(count: 100)) }
        moved.raise()
        Task {
          await goOn.raised()
          _ = try? writer.write(Data(count: 100))
          writer.finish(metrics: TransferMetrics())
        }
        return response
      }
    ).build()
    let (figures, told) = AsyncStream.makeStream(of: TransferProgress.self)
    let request = session.request(Bench.url).downloadProgress(interval: .seconds(1)) { told.yield($0) }
    async let value = request.serializingData().value
    var next = figures.makeAsyncIterator()
    await moved.raised()
    #expect(await next.next()?.completed == 100)
    clock.advance(by: .milliseconds(999))
    clock.advance(by: .milliseconds(1))
    #expect(await next.next()?.completed == 200)
    goOn.raise()
    #expect(try await value.count == 300)
    #expect(await next.next()?.completed == 300)
  }

  @Test func `a timer that fires too early is taken for the end of the interval`() {
    var reporter = ProgressReporter()
    reporter.add(interval: .seconds(1), executor: nil) { _ in }
    reporter.begin(.known(9), now: .zero)
    #expect(reporter.move(to: 3, now: .zero) == nil)
    #expect(reporter.move(to: 5, now: .zero) == .seconds(1))
    #expect(reporter.move(to: 7, now: .zero) == nil)
    #expect(reporter.tellKept(now: .zero) == nil)
    #expect(reporter.move(to: 9, now: .zero) == .seconds(2))
    #expect(reporter.finish().count == 1)
  }
}
