import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineMock
import LupineResumableUpload
import LupineSession
import LupineTransfers
import Synchronization
import Testing

/// Uploads without a network: over stubs that lose a request at a byte, and under seeds, which lose requests and responses
/// in any order.
@Suite struct UploadSimulationTests {
  @Test func `stubs reset an upload at a byte of its content`() async throws {
    let mock = MockTransport()
    var located = HTTPResponse(status: .init(code: 104))
    located.headerFields = [.location: "/uploads/1"]
    located.headerFields["Upload-Draft-Interop-Version"] = "8"
    mock.stub(.post, "/files", .fault(.resetInRequest(afterBytes: 4)).informational([located]))
    mock.stub(
      .head, "/uploads/1", .status(.noContent).field("Upload-Offset", "4").field("Upload-Complete", "?0"))
    mock.stub(
      .patch, "/uploads/1",
      .sequence([
        .fault(.resetInRequest(afterBytes: 0)), .text("complete").field("Upload-Complete", "?1"),
      ]))
    let session = try Session.Builder().transport(mock).clock(ImmediateClock()).build()
    let progress = Mutex<[Int64]>([])
    let value = try await session.upload(.text("hello world"), to: "https://example.com/files", method: .post)
      .resumable(.draft(8)).resumesAutomatically().uploadProgress { value in
        progress.withLock { $0.append(value.completed) }
      }.serializingString().value
    #expect(value == "complete")
    let bodies = mock.requests.map { "\($0.method) \(String(decoding: $0.body, as: UTF8.self))" }
    #expect(bodies == ["POST hell", "HEAD ", "PATCH ", "HEAD ", "PATCH o world"])
    let values = progress.withLock { $0 }
    #expect(values == values.sorted())
    #expect(values.last == 11)
    try mock.verify()
  }

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
        .resetAfterHead, .truncated(afterBytes: 1), .resetInRequest(afterBytes: 0), .resetInRequest(afterBytes: 1),
        .resetInRequest(afterBytes: 777), .resetInRequest(afterBytes: 4_999),
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
