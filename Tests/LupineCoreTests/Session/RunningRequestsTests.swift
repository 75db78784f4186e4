import HTTPTypes
import LupineMock
@testable import LupineTransfers
import Testing

@testable import LupineCore
@testable import LupineSession

@Suite struct RunningRequestsTests {
  @Test func `every request that runs is seen, whatever its kind, and can be cancelled`() async throws {
    let arrivals = AsyncStream.makeStream(of: Void.self)
    let transport = ClosureTransport { (_, context) throws(LupineError) in
      arrivals.continuation.yield()
      await context.untilCancelled()
      throw context.control.reason ?? LupineError(.other, "no reason")
    }
    let session = try Session.Builder().transport(transport).baseURL("https://a.example.com").build()
    let kinds = Notes<LupineError.Kind?>()
    session.request("data").response { kinds.add($0.error?.kind) }
    session.upload(.text("x"), to: "upload").response { kinds.add($0.error?.kind) }
    session.download("download").response { kinds.add($0.error?.kind) }
    var running = arrivals.stream.makeAsyncIterator()
    for _ in 0..<3 { await running.next() }
    let idle = session.request("idle")
    #expect(
      session.withAllRequests { $0.map(\.description) } == [
        "GET https://a.example.com/data", "POST https://a.example.com/upload", "GET https://a.example.com/download",
      ])
    session.withAllRequests { requests in requests.first.map { _ = $0.cancel() } }
    session.cancelAllRequests()
    await session.finishRequests()
    #expect(kinds.all == [.cancelled, .cancelled, .cancelled])
    #expect(session.withAllRequests { $0.isEmpty })
    #expect(idle.allMetrics.isEmpty)
  }
}
