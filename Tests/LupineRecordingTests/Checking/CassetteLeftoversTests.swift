import FoundationEssentials
import HTTPTypes
import LupineCore
@testable import LupineRecording
import Testing

/// The files that nothing needs any more.
@Suite struct CassetteLeftoversTests {
  private let folder = FileManager.default.temporaryDirectory.path + "/leftovers-\(UUID().uuidString)"

  private func write(_ name: String, _ bytes: [UInt8] = []) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
  }

  private func cassette(body name: String) -> [UInt8] {
    let file = Cassette.FileContent(name: name, length: 1, sha256: Data(repeating: 0, count: 32))
    let entry = Cassette.Entry(
      request: Cassette.Request(method: .post, url: "https://a.example/", body: .file(file)),
      response: Cassette.Response(head: HTTPResponse(status: .ok)))
    let header = Cassette.Header(date: Date(timeIntervalSince1970: 0), capabilities: .networking)
    return CassetteWriter.text(of: Cassette(header: header, entries: [entry]))
  }

  /// Removes what nothing needs; returns the names.
  private func remove() throws -> [String] {
    let leftovers = try CassetteLeftovers(in: folder)
    try leftovers.remove()
    return leftovers.names
  }

  @Test func `only files of recordings that nothing names are removed`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try write("a.cassette", cassette(body: "a-0000000000000001.bin"))
    try write("killed.cassette.part", cassette(body: "killed-0000000000000002.bin"))
    try write("replaced.cassette.new", cassette(body: "replaced-0000000000000003.bin"))
    let kept = ["a-0000000000000001.bin", "killed-0000000000000002.bin", "replaced-0000000000000003.bin"]
    let others = [
      "b.bin", "b-00000000000000001.bin", "b-000000000000000g.bin", "b.part", "-.part", ".b-x.part", "users.json",
    ]
    let left = [".a-17.part", "a-0000000000000009.bin", "b.cassette.new", "b.cassette.part"]
    for name in kept + others + left { try write(name) }
    #expect(try remove() == left)
    let rest = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    #expect(rest == (kept + others + ["a.cassette", "killed.cassette.part", "replaced.cassette.new"]).sorted())
    #expect(try CassetteLeftovers(in: folder).names == [])
  }

  @Test func `nothing is removed beside a damaged cassette or a recording under way`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try write("a-0000000000000009.bin")
    try write("a.cassette", Array("{".utf8))
    let damaged = try #require(throws: LupineError.self) { try CassetteLeftovers(in: folder) }
    #expect(damaged.kind == .invalidCassette)
    try write("a.cassette", cassette(body: "x.bin"))
    let journal = try JournalFile.create("\(folder)/a.cassette.part")
    let busy = try #require(throws: LupineError.self) { try CassetteLeftovers(in: folder) }
    #expect(busy.kind == .recordingFailed)
    withExtendedLifetime(journal) {}
    let missing = try #require(throws: LupineError.self) { try CassetteLeftovers(in: folder + "/none") }
    #expect(missing.kind == .fileFailed)
  }
}
