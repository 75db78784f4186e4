import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineMock
import LupineResumableUpload
import LupineSession
import LupineTransfers
import Synchronization
import Testing

/// Uploads under seeds, which lose requests and responses in any order.
@Suite struct UploadSimulationTests {
  private static let body = Data.pattern(5_000)

  /// Uploads until no attempt is lost, each process with the checkpoint of the one before.
  private static func run(_ world: Simulation, _ dialect: UploadDialect, _ creation: UploadCreation) async throws {
    let server = UploadServer(dialect)
    // Three cuts at seeded bytes, besides the faults of the simulation.
    for _ in 0..<3 { server.lose(.after(bytes: Int(world.random() % UInt64(body.count)))) }
    let store = MemoryStore()
    let mock = server.mock()
    var error: LupineError?
    for _ in 0..<40 {
      let session = try Session.Builder().transport(mock).baseURL("https://example.com")
        .timeouts(connect: .seconds(10), idle: .seconds(30), total: nil).build()
      let response = await session.upload(.bytes(body), to: "files", method: .put).validate()
        .resumable(dialect, creation).checkpoint("upload", in: store).serializingData().response
      error = response.error
      if error == nil { break }
    }
    try world.expect(error == nil, "The upload has not ended: \(error?.message ?? "").")
    let complete = server.complete
    // Whole, and once, unless the server named no location before a loss.
    try world.expect(complete.contains(body) && complete.allSatisfy { $0 == body }, "\(complete.count) uploads")
    try world.expect(server.state.withLock { $0.conflicts } == 0, "An acknowledged byte was sent twice.")
  }

  @Test(arguments: [UploadDialect.draft(8), .draft(6), .final, .tus], [UploadCreation.optimistic, .careful])
  func `each upload arrives whole under each seed`(dialect: UploadDialect, creation: UploadCreation) async throws {
    let mix = FaultMix { mix in
      mix.faults = [
        .hostNotFound, .connectionRefused, .networkUnreachable, .connectionStalled, .resetBeforeHead, .stallBeforeHead,
        .resetAfterHead, .truncated(afterBytes: 1),
      ]
      mix.faultRate = 0.3
    }
    let count = try await Simulation.explore(seeds: 0..<12, mix: mix) { world in
      try await Self.run(world, dialect, creation)
    }
    #expect(count == 12)
  }
}

/// Checkpoints in memory.
private final class MemoryStore: CheckpointStore {
  private let states = Mutex<[String: Data]>([:])

  func read(_ name: String) throws(LupineError) -> Data? { states.withLock { $0[name] } }
  func write(_ data: Data, to name: String) throws(LupineError) { states.withLock { $0[name] = data } }
  func remove(_ name: String) throws(LupineError) { states.withLock { $0[name] = nil } }
}
