import HTTPTypes
import LupineCore
import LupineMock
import Testing

/// How long a stream of events waits before it connects again.
@Suite struct ReconnectionTests {
  private let mock = MockTransport()
  private let clock = ImmediateClock()
  private let url = "https://example.com/events"

  private func session(random: UInt64) throws -> Session {
    try Session.Builder().transport(mock).clock(clock).random { random }.build()
  }

  private func page(_ text: String) -> MockReply { .text(text).field(.contentType, "text/event-stream") }

  /// Reads the stream to its error; returns the waits between its connections in milliseconds, and the error.
  private func waits(
    random: UInt64 = .max, retry: Duration = .seconds(3), limit: Int?, _ replies: [MockReply]
  ) async throws -> (milliseconds: [Double], error: LupineError?) {
    let moments = Notes<VirtualInstant>()
    mock.stub(.get, url) { [clock] _ in
      moments.add(clock.now)
      return replies[min(moments.all.count, replies.count) - 1]
    }
    let stream = try session(random: random).streamRequest(url)
    var failure: LupineError?
    do throws(LupineError) {
      for try await _ in stream.serializingEvents(retry: retry, reconnectionLimit: limit) {}
    } catch {
      failure = error
    }
    let waits = zip(moments.all, moments.all.dropFirst()).map { $0.duration(to: $1) / .milliseconds(1) }
    return (waits.map { $0.rounded() }, failure)
  }

  @Test func `a server that asks for no wait and closes is left alone for longer and longer`() async throws {
    let (waits, error) = try await waits(limit: 11, [page("retry: 0\n\n")])
    #expect(waits == [100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000])
    #expect(error?.kind == .connectionLost)
    #expect(error?.message.contains("11 reconnections") == true)
  }

  @Test func `the wait is drawn, and no shorter than the server asks`() async throws {
    let (waits, _) = try await waits(random: 0, limit: 4, [page("retry: 700\n\n")])
    #expect(waits == [700, 700, 700, 700])
  }

  @Test func `a server may ask for longer than the cap`() async throws {
    let (waits, _) = try await waits(limit: 3, [page("retry: 60000\n\n")])
    #expect(waits == [60_000, 60_000, 60_000])
  }

  @Test func `an event takes the wait back to its beginning`() async throws {
    let (waits, error) = try await waits(
      retry: .zero, limit: 2,
      [page(""), .failure(.connectionRefused), page("data: a\n\n"), .failure(.connectionRefused)])
    #expect(waits == [100, 200, 100, 200])
    #expect(error?.kind == .connectionRefused)
  }

  @Test func `a limit of none lets the stream end with its connection's loss`() async throws {
    let (waits, error) = try await waits(limit: 0, [.failure(.connectionRefused)])
    #expect(waits.isEmpty)
    #expect(error?.kind == .connectionRefused)
  }

  @Test func `a handler hears of the limit`() async throws {
    mock.stub(.get, url, .failure(.connectionRefused))
    let session = try session(random: 0)
    let notes = Notes<String>()
    session.streamRequest(url).responseStreamEvent(reconnectionLimit: 2) { notes.add("\($0.error?.kind ?? .other)") }
    await session.finishRequests()
    #expect(notes.all == ["connectionRefused"])
    #expect(mock.requests.count == 3)
  }
}
