import FoundationEssentials
import Testing

@testable import LupineCore

@Suite struct BodyDrainTests {
  private static func read(_ body: RequestBody) async throws(LupineError) -> [UInt8] {
    var bytes: [UInt8] = []
    try await body.drain { bytes += $0 }
    return bytes
  }

  @Test func `a body in memory comes whole, however large`() async throws {
    let data = Data(repeating: 7, count: 300_000)
    #expect(try await Self.read(.bytes(data)) == Array(data))
    #expect(try await Self.read(.none) == [])
  }

  @Test func `a stream is waited for`() async throws {
    let body = RequestBody.stream {
      AsyncStream<[UInt8]> { pieces in
        for number: UInt8 in 1...3 { pieces.yield([number]) }
        pieces.finish()
      }
    }
    #expect(try await Self.read(body) == [1, 2, 3])
  }

  @Test func `a sink that refuses a piece ends the reading and cancels the source`() async throws {
    let ended = AsyncStream<Void>.makeStream()
    let body = RequestBody.stream {
      AsyncStream<[UInt8]> { pieces in
        pieces.onTermination = { _ in ended.continuation.finish() }
        pieces.yield([1])
      }
    }
    let error = await #expect(throws: LupineError.self) {
      try await body.drain { (_) throws(LupineError) in throw LupineError(.fileFailed, "full") }
    }
    #expect(error?.kind == .fileFailed)
    for await _ in ended.stream {}
  }

  @Test func `cancelling the task ends the wait for a stream that never ends`() async throws {
    let (endless, pieces) = AsyncStream<[UInt8]>.makeStream()
    let (arrivals, arrival) = AsyncStream<Void>.makeStream()
    let reading = Task { try await RequestBody.stream { endless }.drain { _ in arrival.finish() } }
    pieces.yield([1])
    for await _ in arrivals {}
    reading.cancel()
    let error = await #expect(throws: LupineError.self) { try await reading.value }
    #expect(error?.kind == .cancelled)
  }
}
