import FoundationEssentials
import HTTPTypes
package import LupineCore
import LupineFixtures
import LupineMock
import LupineSession
import LupineTesting
import LupineTransfers

/// A load of requests, some cancelled at random, on a server that fails at random and is restarted meanwhile.
///
/// The server has a Unix-domain socket, so that it can be restarted at the same address. All requests use the same
/// transport.
package struct RestartedServerLoad: Sendable {
  /// The number of open descriptors and the resident memory in KiB.
  package struct Resources: Sendable {
    package let descriptors: Int
    package let memory: Int
  }

  /// The number of requests of each round.
  package static let requestsPerRound = 200
  /// The number of rounds: 100,000 requests under `make soak`, otherwise 2,000.
  package static let rounds = ProcessInfo.processInfo.environment["LUPINE_SOAK"] == "1" ? 500 : 10

  private static let content = "A body of the server."
  private let folder: TemporaryFolder
  private let session: Session

  /// Builds a session over a transport.
  package init(_ transport: any Transport) throws {
    folder = try TemporaryFolder()
    session = try Session.Builder().transport(transport).unixSocket(folder.file("socket"))
      .timeouts(total: .seconds(2)).build()
  }

  /// Runs the rounds; returns the number of complete responses.
  ///
  /// - Parameter observe: receives the resources after each round, when no request is running.
  /// - Throws: ``WrongContent`` if a response is complete whose content is not what the server sends.
  package func run(rounds: Int, _ observe: (Resources) -> Void) async throws -> Int {
    var complete = 0
    for round in 0..<rounds {
      complete += try await run(SplitMix(seed: Seeds.first &+ UInt64(round) &* 1_000))
      let resources = try ProcessResources()
      observe(Resources(descriptors: resources.descriptors, memory: try ResidentMemory.kibibytes))
    }
    return complete
  }

  /// A complete response whose content is not what the server sends.
  package struct WrongContent: Error {
    package let text: String
  }

  private func run(_ random: SplitMix) async throws -> Int {
    var random = random
    let first = try start()
    let requestsBeforeRestart = Int.random(in: 1..<Self.requestsPerRound / 2, using: &random)
    let seeds = (0..<20).map { _ in random.next() }
    // Requests that are cancelled early do not arrive, so fewer than these may arrive.
    let waiting = Task { _ = try? await first.waitForRequest(count: requestsBeforeRestart) }
    async let complete = {
      defer { waiting.cancel() }
      return try await workConcurrently(seeds)
    }()
    await waiting.value
    first.stop()
    let second = try start()
    defer { second.stop() }
    return try await complete
  }

  private func workConcurrently(_ seeds: [UInt64]) async throws -> Int {
    try await withThrowingTaskGroup(of: Int.self) { group in
      for seed in seeds {
        group.addTask { try await work(SplitMix(seed: seed), count: Self.requestsPerRound / seeds.count) }
      }
      return try await group.reduce(0, +)
    }
  }

  private func start() throws -> ScriptedServer {
    try ScriptedServer(.unix(path: folder.file("socket")), handler: Self.reply)
  }

  private static func reply(_ request: ReceivedHTTPRequest) -> ScriptedReply {
    let body = ScriptedBody.text(content)
    let faults: [NetworkFault] = [.resetBeforeHead, .reset(afterBytes: 3), .truncated(afterBytes: 5), .malformedChunk]
    return switch request.path {
    case "/chunks": .chunked([Array(content.prefix(8).utf8), Array(content.dropFirst(8).utf8)])
    case "/stall": .stall(afterBytes: 2)
    case "/fault": ScriptedReply(faults[request.number % faults.count], of: body) ?? .closeBeforeHead
    default: .respond(body: body)
    }
  }

  /// Makes requests one after the other; returns the number of complete responses.
  private func work(_ random: SplitMix, count: Int) async throws -> Int {
    var random = random
    var complete = 0
    for _ in 0..<count {
      let yields = Bool.random(using: &random) ? Int.random(in: 0..<200, using: &random) : nil
      let paths = ["", "chunks", "fault"] + (yields == nil ? [] : ["stall"])
      let path = paths.randomElement(using: &random) ?? ""
      let request = session.request("http://localhost/\(path)")
      async let response = request.serializingString().response
      if let yields {
        for _ in 0..<yields { await Task.yield() }
        request.cancel()
      }
      guard let text = await response.value else { continue }
      guard text == Self.content, path != "stall" else { throw WrongContent(text: text) }
      complete += 1
    }
    return complete
  }
}

extension RestartedServerLoad {
  /// Runs the load and returns what is wrong: grown resources, remaining threads, or too few complete responses.
  ///
  /// - Parameters:
  ///   - transport: the transport of the load, which this function shuts down.
  ///   - threads: the beginning of the names of the transport's threads.
  package static func problems(of transport: any Transport, threads: String) async throws -> [String] {
    let load = try Self(transport)
    var seen: [Resources] = []
    _ = try await load.run(rounds: 2) { _ in }
    let complete = try await load.run(rounds: rounds) { seen.append($0) }
    await transport.shutdown()
    guard let first = seen.first, let last = seen.last else { return ["no round ran"] }
    var problems: [String] = []
    // Connections that the last restart ended may still be open.
    if last.descriptors > first.descriptors + 40 {
      problems.append("\(first.descriptors) descriptors became \(last.descriptors)")
    }
    if last.memory > first.memory + 16 << 10 { problems.append("\(first.memory) KiB became \(last.memory)") }
    let left = try ProcessResources().threadCount(named: threads)
    if left != 0 { problems.append("\(left) threads are left") }
    if complete < rounds * requestsPerRound / 8 { problems.append("only \(complete) responses were complete") }
    return problems
  }
}
