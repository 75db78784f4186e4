import HTTPTypes
import LupineCore
import LupineFixtures
import LupineFoundation
import LupineMock
import LupineSession
import LupineStreams
import Testing

@testable import LupineCache

/// Simulations of requests for a few resources that arrive at random times, are cancelled, read slowly, and meet a
/// server that changes its resources and breaks off, and a store that fails.
///
/// Each request sends at most two requests: a validation or one for the rest, and one for the whole. If the server
/// never fails, only cancelled requests fail.
@Suite(.timeLimit(.minutes(5))) struct WaitingSimulationTests {
  private static let seeds = Seeds.first &* 200..<Seeds.first &* 200 &+ 200
  private static let clients = 30
  private static let length = 96

  @Test(arguments: seeds) func `every body is whole, and nothing is left`(seed: UInt64) async throws {
    try await withSimulation(seed: seed) { world in
      let draw = world.random()
      let (breaksOff, storeFails) = (draw % 2 == 0, draw / 4 % 2 == 0)
      let origin = ChangingPacedOrigin(world, breaksOff: breaksOff, changes: draw / 2 % 2 == 0)
      let store = ObservedStore {
        guard storeFails else { return .none }
        let count = Int(world.random() % 120)
        return switch world.random() % 8 {
        case 0: .noWriter
        case 1, 2: .full(after: count)
        case 3: .commit
        default: .none
        }
      }
      let cache = try HTTPCache(store: store, hashKey: CacheBench.key)
      let sessions = try (0..<2).map { _ in
        try Session.Builder().transport(origin.mock).install(.cache(cache)).build()
      }
      let faults = Box<[String]>([])
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<Self.clients {
          let client = SharingClient(sessions[number % 2], world, origin, mayFail: breaksOff)
          group.addTask {
            if let fault = await client.run() { faults.change { $0.append(fault) } }
          }
        }
      }
      try world.expect(faults.value.isEmpty, "\(faults.value)")
      let count = origin.mock.requests.count
      try world.expect(count <= 2 * Self.clients, "\(count) requests")
      for session in sessions { await session.finishBackgroundTasks() }
      try world.expect(cache.storage.isIdle, "a request is under way")
      try world.expect(store.openWriters == 0, "\(store.openWriters) writers are open")
      for session in sessions { await session.shutdown() }
    }
  }

  @Test(arguments: seeds)
  func `requests of which one is cancelled cause two requests at most, and each gets a whole content`(
    seed: UInt64
  ) async throws {
    try await withSimulation(seed: seed) { world in
      let draw = world.random()
      let tag = draw % 3 == 0 ? nil : draw % 3 == 1 ? "W/\"a\"" : "\"a\""
      // Without a strong validator, each request finds another content, so that none could bring the rest of another.
      let changes = tag?.hasPrefix("\"") != true
      let origins = (UInt8(0)..<3).map { version in
        PacedOrigin(data: Data((0..<40).map { changes ? $0 &+ version : $0 }), tag: tag, interval: .milliseconds(20))
      }
      let number = Box(0)
      let mock = MockTransport()
      mock.stub(.get, CacheBench.url) { request in
        number.change { $0 += 1 }
        return origins[min(number.value, 3) - 1].reply(to: request).delay(.milliseconds(200))
      }
      let store = ObservedStore()
      let cache = try HTTPCache(store: store, hashKey: CacheBench.key)
      let session = try Session.Builder().transport(mock).install(.cache(cache)).build()
      let first = session.request(CacheBench.url)
      let task = Task(executorPreference: world.executor) { await first.serializingData().response }
      try await world.sleep(for: .milliseconds(1))
      let faults = Box<[String]>([])
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<20 {
          let start = Duration.milliseconds(Int64(world.random() % 1_200))
          group.addTask {
            try? await world.sleep(for: start)
            let response = await session.request(CacheBench.url).serializingData().response
            if !origins.contains(where: { $0.data == response.value }) { faults.change { $0.append("\(response)") } }
          }
        }
        group.addTask {
          try? await world.sleep(for: .milliseconds(Int64(world.random() % 1_200)))
          first.cancel()
        }
      }
      try world.expect(faults.value.isEmpty, "\(faults.value)")
      // If the first one is cancelled before its response is stored, one of the others takes its place.
      try world.expect(mock.requests.count <= 2, "\(mock.requests.count) requests")
      _ = await task.value
      await session.finishBackgroundTasks()
      try world.expect(cache.storage.isIdle && store.openWriters == 0, "something is left")
      await session.shutdown()
    }
  }
}

/// A server with one resource for each kind of validator.
private struct ChangingPacedOrigin: Sendable {
  let mock = MockTransport()
  static let paths = ["strong", "weak", "none"]
  private static let length = 96

  init(_ world: Simulation, breaksOff: Bool, changes: Bool) {
    for path in Self.paths {
      let version = Box(0)
      mock.stub(.get, "/\(path)", count: .optional) { request in
        let draw = world.random()
        if changes, draw % 6 == 0 { version.change { $0 += 1 } }
        var origin = PacedOrigin(data: Self.bytes(version.value))
        let tag = "\"\(version.value)\""
        origin.tag = path == "strong" ? tag : path == "weak" ? "W/" + tag : nil
        origin.control =
          ["max-age=60", "max-age=2", "max-age=0", "max-age=1, stale-while-revalidate=2"][Int(draw / 6 % 4)]
        if draw / 24 % 12 == 0 { origin.control = "no-store" }
        origin.piece = 16
        origin.interval = .milliseconds(Int64(draw / 288 % 700))
        let reply = origin.reply(to: request).delay(.milliseconds(Int64(draw / 403_200 % 1_000)))
        let fault = draw / 403_200_000
        guard breaksOff, fault % 3 == 0 else { return reply }
        return fault / 3 % 6 == 0 ? .failure(.connectionFailed) : reply.reset(afterBytes: Int(fault / 18 % 100))
      }
    }
  }

  static func bytes(_ version: Int) -> Data {
    Data((0..<length).map { UInt8(truncatingIfNeeded: $0 &+ version &* 97) })
  }
}

/// One request of a simulation.
private struct SharingClient: Sendable {
  private let session: Session
  private let world: Simulation
  private let path: String
  private let start: Duration
  /// When the request is cancelled, after its start.
  private let cancellation: Duration?
  /// How long the client waits after each piece.
  private let pause: Duration
  private let policy: CachePolicy
  private let mayFail: Bool

  init(_ session: Session, _ world: Simulation, _ origin: ChangingPacedOrigin, mayFail: Bool) {
    self.session = session
    self.world = world
    self.mayFail = mayFail
    path = ChangingPacedOrigin.paths[Int(world.random() % 3)]
    start = .milliseconds(Int64(world.random() % 8_000))
    cancellation = world.random() % 4 == 0 ? .milliseconds(Int64(world.random() % 4_000)) : nil
    pause = world.random() % 4 == 0 ? .milliseconds(Int64(world.random() % 900)) : .zero
    policy = world.random() % 10 == 0 ? .reload : .byProtocol
  }

  /// Runs the request; returns what was wrong with its response.
  func run() async -> String? {
    try? await world.sleep(for: start)
    let tag = Box("none")
    let request = session.streamRequest("https://example.com/\(path)").cachePolicy(policy).onHTTPResponse { head in
      tag.value = head.headerFields[.eTag] ?? "none"
      return .allow
    }
    let canceller = cancellation.map { cancellation in
      Task(executorPreference: world.executor) {
        try? await world.sleep(for: cancellation)
        request.cancel()
      }
    }
    defer { canceller?.cancel() }
    var data = Data()
    do {
      for try await bytes in request.serializingBytes() {
        data += bytes
        if pause > .zero { try? await world.sleep(for: pause) }
      }
    } catch {
      let isExpected =
        mayFail && [.connectionLost, .connectionFailed].contains(error.kind)
        || error.kind == .cancelled && cancellation != nil
      return isExpected ? nil : "\(path): \(error)"
    }
    let content = data
    let version = (0..<256).first { ChangingPacedOrigin.bytes($0) == content }
    guard let version else { return "\(path): \(Array(data))" }
    guard path == "strong" else { return nil }
    return tag.value == "\"" + String(version) + "\"" ? nil : "version \(version) with the tag \(tag.value)"
  }
}
