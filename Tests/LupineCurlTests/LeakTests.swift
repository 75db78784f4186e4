import FoundationEssentials
import HTTPTypes
import LupineCore
@testable import LupineCurl
import LupineFixtures
import LupineTesting
import Testing

@Suite struct LeakTests {
  /// Runs in a process of its own, so that descriptors and threads of other tests are not counted.
  @Test func `ten thousand requests, cancelled at random, leave no descriptor, thread or handle behind`() async throws {
    await #expect(processExitsWith: .success) {
      let server = try ScriptedServer(handler: LeakTests.reply)
      try await LeakTests.flood(server, workers: 1, requests: 4)
      let before = try ProcessResources()
      try await LeakTests.flood(server, workers: 50, requests: 200)
      let after = try ProcessResources()
      #expect(after.descriptors == before.descriptors)
      #expect(after.transportThreads == 0)
      #expect(HandleCount.current == 0)
      #expect(server.requests.count > 4_000)
    }
  }

  private static func reply(_ request: ReceivedHTTPRequest) -> ScriptedReply {
    switch request.path {
    case "/chunks": .chunked([[1, 2, 3], [4, 5]])
    case "/stall": .stall(afterBytes: 2)
    case "/close": .closeBeforeHead
    default: .respond(body: .text("hello"))
    }
  }

  private static func flood(_ server: ScriptedServer, workers: Int, requests: Int) async throws {
    let client = Client()
    let url = server.url
    await withTaskGroup(of: Void.self) { group in
      for worker in 0..<workers {
        group.addTask { await work(seed: Seeds.first &+ UInt64(worker), requests, client, url) }
      }
    }
    await client.transport.shutdown()
    try await server.waitForOpenConnections(0)
  }

  private enum Moment: CaseIterable { case atOnce, later, connected, head, piece, never }

  /// Makes requests, and cancels each at a random moment, or not at all if the server completes its response.
  private static func work(seed: UInt64, _ count: Int, _ client: Client, _ url: String) async {
    var random = SplitMix(seed: seed)
    for _ in 0..<count {
      let moment = Moment.allCases.randomElement(using: &random) ?? .atOnce
      var paths = ["/", "/chunks", "/close"]
      if moment != .never { paths.append("/stall") }
      let path = paths.randomElement(using: &random) ?? "/"
      let body =
        [RequestBody.none, .text("body"), .stream { Pieces([[1], [2]]) }].randomElement(using: &random) ?? .none
      let isStreamed = moment == .piece || Bool.random(using: &random)
      let sink = isStreamed ? BodySink.stream(window: 1) : .collect(limit: 100)
      await exchange(url + path, body, sink, cancelling: moment, client)
    }
  }

  private static func exchange(
    _ url: String, _ body: RequestBody, _ sink: BodySink, cancelling moment: Moment, _ client: Client
  ) async {
    let control = ExchangeControl()
    let cancel: @Sendable (Moment) -> Void = { now in
      if now == moment { control.cancel(LupineError(.cancelled, "At random.")) }
    }
    let canceller = Task {
      cancel(.atOnce)
      for _ in 0..<50 { await Task.yield() }
      cancel(.later)
    }
    let context = TransferContext(
      id: RequestID(1), connectTimeout: .seconds(10), control: control,
      events: { if case .connected = $0 { cancel(.connected) } },
      sink: { _ in
        cancel(.head)
        return sink
      })
    do throws(LupineError) {
      let request = OutgoingRequest(url: try HTTPURL(url), method: .post, body: body)
      let response = try await client.transport.send(request, in: context)
      _ = try await response.body.next()
      cancel(.piece)
      while try await response.body.next() != nil {}
    } catch {
      // The exchange may succeed or fail; the test checks only that its resources are freed.
    }
    await canceller.value
  }
}

/// The system resources of this process.
private struct ProcessResources {
  let descriptors: Int
  let transportThreads: Int

  init() throws {
    let files = FileManager.default
    descriptors = try files.contentsOfDirectory(atPath: "/proc/self/fd").count
    transportThreads = try files.contentsOfDirectory(atPath: "/proc/self/task").count { task in
      // The name of a thread that has ended since the listing cannot be read.
      let name = try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)
      return name?.hasPrefix("lupine-curl") ?? false
    }
  }
}
