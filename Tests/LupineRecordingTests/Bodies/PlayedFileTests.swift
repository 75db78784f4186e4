import Glibc
import HTTPTypes
import LupineCompression
import LupineCore
import LupineFixtures
import LupineFoundation
import Testing

@testable import LupineRecording

/// Bodies that are played from files, which anyone may have changed.
@Suite struct PlayedFileTests {
  private let folder: TemporaryFolder
  private let content: Cassette.Content
  private let name: String
  private let bytes: [UInt8]

  init() throws {
    folder = try TemporaryFolder()
    var random = SplitMix(seed: 1)
    bytes = random.bytes(80_000)
    let store = try BodyStore(cassette: folder.file("users.cassette"))
    content = try store.content(Data(bytes))
    name = try #require(folder.names.first)
  }

  @Test(arguments: [[], ["gzip"], ["zstd", "br"]])
  func `a body is played from its file`(codings: [String]) async throws {
    let response = response(codings)
    let cassette = try CassetteFolder(of: folder.file("users.cassette"))
    var body = try await PlayedBody(response, isComplete: true, in: cassette, codings: CodedBodyTests.codings)
    let decoding = try BodyDecoding(
      contentEncoding: codings.joined(separator: ","), codings: CodedBodyTests.codings, limits: Limits())
    var decoded: [UInt8] = []
    var length = 0
    while let piece = try await body.next() {
      length += piece.bytes.count
      try piece.bytes.withUnsafeBytes { bytes in try decoding.decode(bytes) { decoded.append(contentsOf: $0) } }
      #expect(piece.after == (decoded.count <= 40_000 ? .zero : .seconds(1)))
    }
    #expect(decoded == bytes)
    #expect(body.head.headerFields[.contentLength] == "\(length)")
  }

  /// Changes of the file, and a part of the error.
  private static let changes: [(String, String)] = [
    ("missing", "cannot be opened"), ("short", "has 79999 bytes"), ("long", "has 80001 bytes"),
    ("other", "has other bytes"), ("pipe", "not a regular file"), ("link", "symbolic link"), ("folder", "cannot be"),
  ]

  @Test(arguments: changes, [[], ["gzip"]])
  func `a file that was changed is an error before its last bytes`(
    change: (kind: String, reason: String), codings: [String]
  ) async throws {
    let path = folder.file(name)
    unlink(path)
    switch change.kind {
    case "short": try folder.write(bytes.dropLast(), to: name)
    case "long": try folder.write(bytes + [0], to: name)
    case "other": try folder.write([bytes[0] ^ 1] + bytes.dropFirst(), to: name)
    case "pipe": #expect(mkfifo(path, 0o600) == 0)
    case "link":
      try folder.write(bytes, to: "target")
      #expect(symlink(folder.file("target"), path) == 0)
    case "folder": try folder.write("", to: "\(name)/a")
    default: break
    }
    var count = 0
    let error = await #expect(throws: LupineError.self) { () async throws in
      let cassette = try CassetteFolder(of: folder.file("users.cassette"))
      var body = try await PlayedBody(
        response(codings), isComplete: true, in: cassette, codings: CodedBodyTests.codings)
      while let piece = try await body.next() { count += piece.bytes.count }
    }
    #expect(error?.kind == .invalidCassette)
    #expect(error?.message.contains(change.reason) == true || change.kind == "folder", "\(error?.message ?? "")")
    #expect(count < bytes.count)
  }

  @Test func `a cassette that is a link is not read`() throws {
    try folder.write(DamagedFile.header, to: "target")
    #expect(symlink("target", folder.file("users.cassette")) == 0)
    let error = #expect(throws: LupineError.self) { try Cassette(contentsOf: folder.file("users.cassette")) }
    #expect(error?.message.contains("symbolic link") == true)
    #expect(try Cassette(contentsOf: folder.file("target")).entries == [])
  }

  @Test func `a cassette that is missing is an error of its file`() {
    for path in [folder.file("none"), folder.file("none/users.cassette")] {
      let error = #expect(throws: LupineError.self) { try Cassette(contentsOf: path) }
      #expect(error?.kind == .fileFailed)
      #expect(error?.file?.kind == .notFound)
    }
    #expect(throws: LupineError.self) { try Cassette(contentsOf: folder.file("a\u{0}b")) }
  }

  private func response(_ codings: [String]) -> Cassette.Response {
    Cassette.Response(
      head: HTTPResponse(status: .ok, headerFields: [.contentLength: "1"]), body: content, codings: codings,
      chunks: [Cassette.Chunk(after: .zero, count: 40_000), Cassette.Chunk(after: .seconds(1), count: 40_000)])
  }
}
