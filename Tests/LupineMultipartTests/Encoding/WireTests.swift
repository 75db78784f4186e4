import FoundationEssentials
import Glibc
import LupineCore
import LupineSession
import LupineCurl
import LupineFixtures
import LupineMultipart
import LupineTesting
import Synchronization
import Testing
import TransportSupport

/// Multipart requests over a real connection.
@Suite(.overEachTransport) struct WireTests {
  private static func session() throws -> Session { try Session.Builder().transport(.curl).build() }

  @Test func `the length is exact if the length of each part is known`() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(String(repeating: "x", count: 300_000), to: "a.txt")
    let server = try ScriptedServer(always: .respond(body: .text("done")))
    var form = MultipartFormData()
    form.append(.file(path), name: "file")
    form.append(.stream(length: 6) { Pieces(["str", "eam"]) }, name: "stream")
    _ = try await Self.session().upload(multipart: form, to: server.url).serializingString().value
    let request = try #require(server.requests.first)
    #expect(request.fields["Content-Length"] == "\(try #require(try form.contentLength()))")
    #expect(request.fields["Content-Type"] == form.contentType)
    let parts = try ReceivedPart.parts(of: Data(request.body), contentType: request.fields["Content-Type"])
    #expect(parts.map(\.data.count) == [300_000, 6])
  }

  @Test func `a stream of unknown length is sent in chunks`() async throws {
    let server = try ScriptedServer(always: .respond(body: .text("done")))
    let upload = try Self.session().upload(
      multipart: { $0.append(.stream { Pieces(["str", "eam"]) }, name: "stream") }, to: server.url)
    _ = try await upload.serializingString().value
    let request = try #require(server.requests.first)
    #expect(request.fields["Transfer-Encoding"] == "chunked")
    let parts = try ReceivedPart.parts(of: Data(request.body), contentType: request.fields["Content-Type"])
    #expect(parts.map(\.text) == ["stream"])
  }

  @Test func `a part that fails half-way closes the connection, and no server sees a whole request`() async throws {
    let server = try ScriptedServer(always: .respond(body: .text("done")))
    for length in [100, nil] as [Int64?] {
      let upload = try Self.session().upload(
        multipart: { form in
          form.append("first", name: "first")
          form.append(.stream(length: length) { Throwing() }, name: "broken")
        }, to: server.url)
      let error = try await failure { _ = try await upload.serializingString().value }
      #expect(error.kind == .bodyFailed)
      #expect(error.message.hasPrefix("Part 2 (\"broken\")"))
    }
    try await server.waitForProblem(count: 2)
    try await server.waitForOpenConnections(0)
    #expect(server.requests.isEmpty)
  }

  @Test(arguments: [100, 1 << 21]) func `a file that shrinks or grows meanwhile closes the connection`(
    size: Int
  ) async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(Data(repeating: 1, count: 1 << 20), to: "a")
    let server = try ScriptedServer(always: .respond(body: .text("done")))
    let upload = try Self.session().upload(
      multipart: { form in
        form.append(.stream { Resizing(path: path, size: size) }, name: "first")
        form.append(.file(path), name: "file")
      }, to: server.url)
    let error = try await failure { _ = try await upload.serializingString().value }
    #expect(error.kind == .bodyFailed)
    #expect(error.message.hasPrefix("Part 2 (\"file\")"))
    try await server.waitForProblem()
    try await server.waitForOpenConnections(0)
    #expect(server.requests.isEmpty)
  }

  @Test(arguments: ["/does/not/exist", "/tmp"]) func `a file that cannot be sent fails before anything is`(
    path: String
  ) async throws {
    let server = try ScriptedServer(always: .respond(body: .text("done")))
    let upload = try Self.session().upload(multipart: { $0.append(.file(path), name: "file") }, to: server.url)
    let error = try await failure { _ = try await upload.serializingString().value }
    #expect(error.kind == .bodyFailed)
    #expect(error.message.hasPrefix("Part 1 (\"file\")"))
    #expect(server.connectionCount == 0)
  }

  @Test func `progress counts the whole encoded body`() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(String(repeating: "x", count: 300_000), to: "a.txt")
    let server = try ScriptedServer(always: .respond(body: .text("done")))
    var form = MultipartFormData()
    form.append("text", name: "text")
    form.append(.file(path), name: "file")
    let figures = Mutex<[TransferProgress]>([])
    let upload: UploadRequest = try Self.session().upload(multipart: form, to: server.url)
    upload.uploadProgress { figure in figures.withLock { $0.append(figure) } }
    _ = try await upload.serializingString().value
    let length = try #require(try form.contentLength())
    let seen = figures.withLock { $0 }
    #expect(seen.last?.completed == length)
    #expect(seen.allSatisfy { $0.total == length })
    #expect(server.requests.first?.bodyLength == Int(length))
  }

  /// A stream that changes the size of a file while it is read.
  struct Resizing: AsyncSequence, Sendable {
    let path: String
    let size: Int

    struct AsyncIterator: AsyncIteratorProtocol {
      let path: String
      let size: Int
      var isDone = false

      mutating func next() async -> [UInt8]? {
        if isDone { return nil }
        isDone = true
        truncate(path, size)
        return [1]
      }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(path: path, size: size) }
  }
}
