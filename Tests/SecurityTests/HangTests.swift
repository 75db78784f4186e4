import FoundationEssentials
import Lupine
import LupineMock
import LupineTesting
import Testing
import TransportSupport

@Suite(.serialized) struct HangTests {
  static let scripts: [String: ScriptedReply] = [
    "resetBeforeHead": .resetBeforeHead, "resetAfterHead": .reset(afterBytes: 0), "closeBeforeHead": .closeBeforeHead,
    "reset": .reset(afterBytes: 3),
    "stallBeforeHead": .stallBeforeHead, "stallAfterHead": .stall(afterBytes: 0),
    "stall": .stall(afterBytes: 3), "truncated": .truncated(afterBytes: 3),
    "truncatedChunks": .truncatedChunks([[1], [2]]), "malformedChunk": .malformedChunk(), "garbage": .garbage,
    "endlessFields": .endlessFields, "endlessInformational": .endlessInformational,
    "endlessTrailers": .endlessTrailers, "endlessChunkExtension": .endlessChunkExtension,
    "oversizedField": .oversizedField(bytes: 1 << 20), "bareLineFeeds": .bareLineFeeds, "obsoleteFold": .obsoleteFold,
    "halfHead": [.raw(text: "HTTP/1.1 200 OK\r\nContent-Le"), .stall],
    "interim": [.informational(status: 102), .stall],
    "redirectStall": [.raw(text: "HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 5\r\n\r\n"), .stall],
    "challengeStall": [
      .raw(text: "HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=x\r\nContent-Length: 5\r\n\r\n"), .stall,
    ],
  ]

  /// The scripts that only the timeout ends.
  static let stalls: Set<String> = [
    "stallBeforeHead", "stallAfterHead", "stall", "halfHead", "interim", "redirectStall", "challengeStall",
  ]

  /// The clock stands still until the server has the request, and moves only for a stall.
  @Test(.overEachTransport, .timeLimit(.minutes(1)), arguments: scripts.keys.sorted())
  func `each fault script ends with its error, and a stall at the total timeout`(name: String) async throws {
    let server = try ScriptedServer(always: try #require(Self.scripts[name]))
    defer { server.stop() }
    let clock = TestClock()
    let session = try networkSession(total: .seconds(9)) { $0.clock(clock) }
    async let timekeeper: Void = {
      _ = try await server.waitForRequest()
      if Self.stalls.contains(name) { clock.advance(by: .seconds(9)) }
    }()
    let response = await session.request(server.url).authenticate(username: "u", password: "p").serializingData()
      .response
    #expect(response.error != nil)
    // Every other script ends with the error of its fault, which the timeout must not hide.
    #expect((response.error?.kind == .timedOut(.total)) == Self.stalls.contains(name))
    try await timekeeper
    await session.shutdown()
  }

  @Test(.overEachTransport, .timeLimit(.minutes(1)), arguments: [true, false])
  func `a port that never answers ends within the total timeout`(completesHandshake: Bool) async throws {
    let port = try SilentPort(completesHandshake: completesHandshake)
    let error = await (try networkSession(total: .milliseconds(300))).request(port.url).serializingData().response.error
    #expect(error?.kind == .timedOut(.total))
  }

  static let faults: [NetworkFault] = [
    .hostNotFound, .connectionRefused, .networkUnreachable, .tlsRefused, .connectionStalled, .resetBeforeHead,
    .stallBeforeHead, .reset(afterBytes: 2), .stall(afterBytes: 2), .truncated(afterBytes: 2),
  ]

  @Test(arguments: faults)
  func `each fault of the mock ends within the total timeout`(fault: NetworkFault) async throws {
    let clock = ImmediateClock()
    let mock = MockTransport()
    mock.stub(.get, "/{any...}", .text("hello").fault(fault))
    let session = try Session.Builder().transport(mock).clock(clock).timeouts(idle: nil, total: .seconds(9)).build()
    #expect(await session.request("https://a.example.com/").serializingData().response.error != nil)
  }

  // These tests run in processes of their own, because they measure the resources of a whole process.

  @Test func `ten thousand failures of the mock leave nothing behind`() async throws {
    await #expect(processExitsWith: .success) {
      let mock = MockTransport()
      mock.stub(.get, "/{n}") { request in
        let number = Int(request.variables["n"] ?? "") ?? 0
        return .text("hello").fault(HangTests.faults[number % HangTests.faults.count])
      }
      let session = try Session.Builder().transport(mock).clock(ImmediateClock()).timeouts(total: .seconds(9)).build()
      try await HangTests.expectFlat(mebibytes: 128) { number in
        await session.request("https://a.example.com/\(number)").serializingData().response.error
      }
    }
  }

  @Test(.overEachTransport) func `ten thousand failures of a transport leave nothing behind`() async throws {
    await #expect(processExitsWith: .success) { [isNative = TestTransport.isNative as Bool] in
      let replies: [ScriptedReply] = [
        .resetBeforeHead, .reset(afterBytes: 0), .closeBeforeHead, .truncated(afterBytes: 3), .garbage,
        .malformedChunk(), .doubledContentLength(3, 5), .bareLineFeeds,
      ]
      let server = try ScriptedServer { replies[$0.number % replies.count] }
      let session = try networkSession { $0.transport(TestTransport.make(isNative: isNative)) }
      try await HangTests.expectFlat(mebibytes: 64) { _ in
        await session.request(server.url).serializingData().response.error
      }
      await session.shutdown()
      server.stop()
    }
  }

  /// Expects that ten thousand failures, after a hundred to warm up, do not increase the resources of the process.
  private static func expectFlat(mebibytes: Int, _ fail: (Int) async -> LupineError?) async throws {
    for number in 0..<100 { #expect(await fail(number) != nil) }
    let before = try Holdings()
    for number in 0..<10_000 { #expect(await fail(number) != nil) }
    let after = try Holdings()
    // The numbers of closing connections and of pool threads vary.
    #expect(after.descriptors - before.descriptors < 5)
    #expect(after.threads - before.threads < 5)
    #expect(after.memory - before.memory < mebibytes << 10)
  }
}
