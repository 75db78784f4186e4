import FoundationEssentials
import Glibc
import LupineCore
import LupineCurl
import LupineFixtures
import LupineMultipart
import LupineSession
import LupineTesting
import LupineTransfers
import Testing
import TransportSupport

/// Downloads whose destination blocks.
@Suite(.overEachTransport) struct HungDiskTests {
  @Test(.timeLimit(.minutes(1)))
  func `a destination that waits for a pipe holds up no other request and no timeout`() async throws {
    let folder = try TemporaryFolder()
    let (pipe, file) = (folder.file("pipe"), folder.file("a"))
    try #require(mkfifo(pipe, 0o600) == 0)
    let server = try ScriptedServer { $0.path == "/silent" ? .stall(afterBytes: 3) : .respond(body: .filler(1_000)) }
    let session = try Session.Builder().transport(.curl).build()
    let (openings, opened) = AsyncStream.makeStream(of: Void.self)
    let download = session.download(
      server.url + "/file",
      to: .custom { _ in
        opened.yield()
        // Blocks until the test opens the other end of the pipe.
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

/// A folder whose file system does not respond; `with-peers` mounts it.
private let frozenFolder = ProcessInfo.processInfo.environment["LUPINE_FROZEN"]

/// Requests whose files are in a file system that does not respond.
///
/// `with-peers` mounts the file system only if the system permits it.
@Suite(.overEachTransport, .enabled(if: frozenFolder != nil, "The system allows no mount of FUSE."))
struct FrozenDiskTests {
  /// The kinds of upload that wait for the disk.
  enum Wait: CaseIterable, Sendable {
    case opening, secondHalf, part, form, suffix

    func upload(in session: Session, to url: String) throws -> UploadRequest {
      let folder = frozenFolder ?? ""
      switch self {
      case .opening: return session.upload(.file("\(folder)/opening"), to: url)
      case .secondHalf: return session.upload(.file("\(folder)/reading"), to: url)
      case .part: return session.upload(.file("\(folder)/reading", offset: 600_000, length: 9), to: url)
      case .form:
        return session.upload(multipart: { $0.append(.file("\(folder)/reading"), name: "file") }, to: url)
      case .suffix: return session.upload(try RequestBody.file("\(folder)/reading").suffix(from: 600_000), to: url)
      }
    }
  }

  @Test(.timeLimit(.minutes(1)), arguments: Wait.allCases)
  func `an upload whose disk does not answer holds up no other request, and ends by its timeout`(
    wait: Wait
  ) async throws {
    let (session, server) = try Self.sessionAndServer()
    let waiting = try wait.upload(in: session, to: server.url + "/file").timeouts { $0.total = .milliseconds(500) }
    async let error = waiting.serializingData().response.error
    try await Self.expectOthersToEnd(session, server)
    #expect(await error?.kind == .timedOut(.total))
    await session.shutdown()
  }

  @Test(.timeLimit(.minutes(1)), arguments: Wait.allCases)
  func `an upload whose disk does not answer ends when it is cancelled, and so does its session`(
    wait: Wait
  ) async throws {
    let (session, server) = try Self.sessionAndServer()
    let (first, second) = (
      try wait.upload(in: session, to: server.url + "/file"), try wait.upload(in: session, to: server.url + "/file")
    )
    async let firstError = first.serializingData().response.error
    async let secondError = second.serializingData().response.error
    #expect(try await session.request(server.url + "/other").serializingData().value.count == 1_000)
    first.cancel()
    #expect(await firstError?.kind == .cancelled)
    await session.shutdown()
    #expect(await secondError?.kind == .sessionShutDown)
  }

  @Test(.timeLimit(.minutes(1)))
  func `a destination that is not created holds up no other request and no timeout`() async throws {
    let (session, server) = try Self.sessionAndServer()
    let file = "\(frozenFolder ?? "")/new"
    let (heads, head) = AsyncStream.makeStream(of: Void.self)
    let download = session.download(
      server.url + "/file",
      to: .custom { _ in
        head.yield()
        return (file, [])
      })
    // The download never ends, because it waits for its disk.
    download.response { _ in Issue.record("The disk has answered.") }
    for await _ in heads { break }
    try await Self.expectOthersToEnd(session, server)
  }

  private static func sessionAndServer() throws -> (Session, ScriptedServer) {
    let server = try ScriptedServer { $0.path == "/silent" ? .stall(afterBytes: 3) : .respond(body: .filler(1_000)) }
    return (try Session.Builder().transport(.curl).build(), server)
  }

  private static func expectOthersToEnd(_ session: Session, _ server: ScriptedServer) async throws {
    let silent = session.request(server.url + "/silent").timeouts { $0.total = .milliseconds(100) }
    #expect(await silent.serializingData().response.error?.kind == .timedOut(.total))
    for _ in 0..<10 {
      #expect(try await session.request(server.url + "/other").serializingData().value.count == 1_000)
    }
  }
}
