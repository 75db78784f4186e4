import FoundationEssentials
package import LupineCore
import LupineFixtures
import LupineSession
import LupineTesting
import LupineTransfers
import Synchronization

/// A load of requests, some cancelled at random, on a server that fails at random and is restarted meanwhile.
///
/// All requests use the same transport.
package struct RestartedServerLoad: Sendable {
  /// The protocol of the server.
  package enum Line: String, CaseIterable, Codable, Sendable {
    case unixSocket = "HTTP/1.1 over a Unix-domain socket"
    case secured = "HTTP/1.1 over TLS"
    case http2 = "HTTP/2 over TLS"
  }

  /// The number of open descriptors and the resident memory in KiB.
  package struct Resources: Sendable {
    package let descriptors: Int
    package let memory: Int
  }

  /// The number of requests of each round.
  package static let requestsPerRound = 200
  /// The number of rounds: 100,000 requests under `make soak`, otherwise 2,000.
  package static let rounds = ProcessInfo.processInfo.environment["LUPINE_SOAK"] == "1" ? 500 : 10

  /// The growth of the resident memory in KiB that counts as a leak.
  ///
  /// The thread sanitizer keeps records of the memory that threads have used, which take 20 MiB over TLS.
  private static let memoryBound =
    ProcessInfo.processInfo.environment["TSAN_OPTIONS"] == nil ? 16 << 10 : 64 << 10

  private let line: Line
  private let server: RestartedServer
  private let session: Session

  /// Builds a session over a transport.
  package init(_ transport: any Transport, over line: Line) throws {
    self.line = line
    server = try RestartedServer(line)
    var builder = Session.Builder().transport(transport)
    if let socket = server.socket {
      builder = builder.unixSocket(socket)
    } else {
      builder = builder.certificateAuthorities(Fixture.path("Certificates/root.pem"))
        .httpVersion(line == .http2 ? .http2 : .http1_1)
    }
    session = try builder.build()
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
    let requestsBeforeRestart = Int.random(in: 1..<Self.requestsPerRound / 2, using: &random)
    let seeds = (0..<20).map { _ in random.next() }
    let count = Atomic(0)
    let mayRestart = Gate()
    let stopFirst = try server.start {
      if count.add(1, ordering: .relaxed).newValue == requestsBeforeRestart { mayRestart.open() }
    }
    async let complete = {
      // Requests that are cancelled early do not arrive, so fewer than these may arrive.
      defer { mayRestart.open() }
      return try await workConcurrently(seeds)
    }()
    try await mayRestart.opened()
    stopFirst()
    let stopSecond = try server.start {}
    defer { stopSecond() }
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

  /// Makes requests one after the other; returns the number of complete responses.
  private func work(_ random: SplitMix, count: Int) async throws -> Int {
    var random = random
    var complete = 0
    for _ in 0..<count {
      let yields = Bool.random(using: &random) ? Int.random(in: 0..<200, using: &random) : nil
      let paths = ["", "chunks", "fault"] + (yields == nil || line == .http2 ? [] : ["stall"])
      let path = paths.randomElement(using: &random) ?? ""
      let request = session.request("\(server.url)/\(path)")
      async let response = request.serializingString().response
      if let yields {
        for _ in 0..<yields { await Task.yield() }
        request.cancel()
      }
      guard let text = await response.value else { continue }
      guard text == RestartedServer.content, path != "stall" else { throw WrongContent(text: text) }
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
  ///   - line: what the server speaks. Default: HTTP/1.1 over a Unix-domain socket.
  package static func problems(
    of transport: any Transport, threads: String, over line: Line = .unixSocket
  ) async throws -> [String] {
    let load = try Self(transport, over: line)
    var seen: [Resources] = []
    _ = try await load.run(rounds: 2) { _ in }
    let complete = try await load.run(rounds: rounds) { seen.append($0) }
    await transport.shutdown()
    guard let first = seen.first, let last = seen.last else { return ["no round ran"] }
    var problems: [String] = []
    // Connections that the last restart ended may still be open: each of 20 has two sockets, and two more in a relay.
    if last.descriptors > first.descriptors + (line == .unixSocket ? 40 : 80) {
      problems.append("\(first.descriptors) descriptors became \(last.descriptors)")
    }
    if last.memory > first.memory + memoryBound { problems.append("\(first.memory) KiB became \(last.memory)") }
    let left = try ProcessResources().threadCount(named: threads)
    if left != 0 { problems.append("\(left) threads are left") }
    if complete < rounds * requestsPerRound / 8 { problems.append("only \(complete) responses were complete") }
    return problems
  }
}
