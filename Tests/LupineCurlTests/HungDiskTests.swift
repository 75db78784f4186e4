import FoundationEssentials
import Glibc
import LupineCore
import LupineCurl
import LupineFixtures
import LupineSession
import LupineTesting
import LupineTransfers
import Testing

/// Downloads whose disk does not answer.
@Suite struct HungDiskTests {
  @Test(.timeLimit(.minutes(1)))
  func `a destination that waits for a pipe holds up no other request and no timeout`() async throws {
    let folder = try TemporaryFolder()
    let (pipe, file) = (folder.file("pipe"), folder.file("a"))
    try #require(mkfifo(pipe, 0o600) == 0)
    let server = try ScriptedServer { $0.path == "/silent" ? .stall(afterBytes: 3) : .respond(body: .filler(1_000)) }
    let session = try Session.Builder().transport(CurlTransport()).build()
    let (openings, opened) = AsyncStream.makeStream(of: Void.self)
    let download = session.download(
      server.url + "/file",
      to: .custom { _ in
        opened.yield()
        // Waits until the other end is opened.
        close(open(pipe, O_RDONLY | O_CLOEXEC))
        return (file, [])
      })
    async let response = download.serializingFile().response
    for await _ in openings { break }
    #expect(try await session.request(server.url + "/other").serializingData().value.count == 1_000)
    let silent = session.request(server.url + "/silent").timeouts { $0.total = .milliseconds(200) }
    #expect(await silent.serializingData().response.error?.kind == .timedOut(.total))
    close(open(pipe, O_WRONLY | O_CLOEXEC))
    #expect(await response.error == nil)
    #expect(try Data(contentsOf: URL(filePath: file)).count == 1_000)
    await session.shutdown()
  }
}
