import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineMock
import Testing

/// Faults in the bytes of a response, and in the times of their arrival.
@Suite struct ContentFaultTests {
  private func kind(_ fault: NetworkFault) async throws -> LupineError.Kind? {
    let mock = MockTransport()
    mock.stub(.get, "/", .text("hello").fault(fault))
    return await Exchange().failure(from: mock)?.kind
  }

  @Test(arguments: [
    (NetworkFault.malformedChunk, LupineError.Kind.malformedResponse), (.doubledLength, .malformedResponse),
    (.oversizedField(bytes: 200_000), .limitExceeded(.responseFields)), (.goAway, .connectionLost),
    (.resetAfterHead, .connectionLost),
  ]) func `a fault of the message is an error`(fault: NetworkFault, kind: LupineError.Kind) async throws {
    #expect(try await self.kind(fault) == kind)
  }

  @Test func `a field below the limit arrives`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/", .text("hello").fault(.oversizedField(bytes: 1_000)))
    let (head, text, _) = try await Exchange().response(from: mock)
    #expect(head.headerFields.contains { $0.value.utf8.count == 1_000 })
    #expect(text == "hello")
  }

  @Test func `a dribble takes its time and arrives whole`() async throws {
    let clock = ImmediateClock()
    let mock = MockTransport()
    mock.stub(.get, "/", .text("hello").fault(.dribble(every: .seconds(2))))
    #expect(try await Exchange(clock: clock).response(from: mock).text == "hello")
    #expect(clock.now.offset == .seconds(8))
  }

  @Test func `a bandwidth takes its time`() async throws {
    let clock = ImmediateClock()
    let mock = MockTransport()
    mock.stub(.get, "/", .text(String(repeating: "a", count: 1_000)).bandwidth(bytesPerSecond: 100))
    #expect(try await Exchange(clock: clock).response(from: mock).text.count == 1_000)
    #expect(clock.now.offset == .seconds(10))
  }

  /// The durations of five exchanges with this reply.
  private static func times(of reply: MockReply) async throws -> [Duration] {
    let clock = ImmediateClock()
    let mock = MockTransport()
    mock.stub(.get, "/", reply)
    var times: [Duration] = []
    for _ in 0..<5 {
      let before = clock.now
      _ = try await Exchange(clock: clock).response(from: mock)
      times.append(before.duration(to: clock.now))
    }
    return times
  }

  @Test(arguments: [
    BandwidthDistribution.uniform(1...100), .exponential(mean: 50), .normal(mean: 50, deviation: 20),
  ]) func `bandwidth is random, and the same for the same seed`(distribution: BandwidthDistribution) async throws {
    func times(seed: UInt64) async throws -> [Duration] {
      try await Self.times(of: .text(String(repeating: "a", count: 100)).bandwidth(distribution, seed: seed))
    }
    let first = try await times(seed: 1)
    #expect(Set(first).count > 1)
    #expect(first.allSatisfy { $0 > .zero })
    #expect(try await times(seed: 1) == first)
    #expect(try await times(seed: 2) != first)
  }

  @Test func `latency is random, and the same for the same seed`() async throws {
    func times(seed: UInt64) async throws -> [Duration] {
      try await Self.times(of: .text("a").latency(.uniform(.seconds(1)...(.seconds(5))), seed: seed))
    }
    let first = try await times(seed: 1)
    #expect(Set(first).count == 5)
    #expect(first.allSatisfy { (.seconds(1)...(.seconds(5))).contains($0) })
    #expect(try await times(seed: 1) == first)
    #expect(try await times(seed: 2) != first)
  }

  @Test(arguments: [BandwidthDistribution.constant(0), .uniform(0...9), .exponential(mean: -1)])
  func `a bandwidth of nothing is the stub's mistake`(distribution: BandwidthDistribution) async throws {
    let mock = MockTransport()
    mock.stub(.get, "/", .text("a").bandwidth(distribution))
    #expect(await Exchange().failure(from: mock)?.kind == .invalidStub)
  }
}
