import Foundation
import Glibc
import LupineCore
import LupineFixtures
import LupineMock
import LupineSQLiteConnection
import Testing

@testable import LupineTransferQueue

/// The folder of a queue: its modes, its owner and its links.
@Suite(.timeLimit(.minutes(1))) struct QueueFolderTests {
  private let stage: QueueStage

  init() throws { stage = try QueueStage() }

  @Test func `the folder has the mode 0700, and each file in it 0600`() async throws {
    let queue = try stage.queue { $0.network = FakeNetwork(.unavailable) }
    try await queue.add(stage.download("a"))
    try await queue.add(.upload(try OutgoingRequest("https://example.com/b", method: .post, body: .text("a form"))))
    let names = try FileManager.default.subpathsOfDirectory(atPath: stage.queueFolder)
    let form = try #require(names.first { $0.hasPrefix("forms/") })
    #expect(
      Set(names) == [
        "forms", form, "lock", "runner", "socket", "transfers.sqlite", "transfers.sqlite-shm", "transfers.sqlite-wal",
      ])
    #expect(try stage.mode(stage.queueFolder) == 0o700)
    for name in names {
      #expect(try stage.mode("\(stage.queueFolder)/\(name)") == (name == "forms" ? 0o700 : 0o600), "\(name)")
    }
    await queue.close()
  }

  @Test(arguments: [0o755, 0o750, 0o711] as [mode_t]) func `a folder that others can read is closed to them`(
    mode: mode_t
  ) async throws {
    #expect(mkdir(stage.queueFolder, 0o700) == 0)
    chmod(stage.queueFolder, mode)
    _ = try await stage.fill(1)
    #expect(try stage.mode(stage.queueFolder) == 0o700)
  }

  @Test(arguments: [0o720, 0o702, 0o770, 0o777, 0o1777] as [mode_t])
  func `a folder that others can write is refused, and nothing in it changes`(mode: mode_t) async throws {
    #expect(mkdir(stage.queueFolder, 0o700) == 0)
    chmod(stage.queueFolder, mode)
    let message = await QueueStage.message { _ = try await stage.queue().transfers }
    #expect(message.contains("is not a folder that only this user can write"), "\(message)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: stage.queueFolder) == [])
    #expect(try stage.mode(stage.queueFolder) == Int(mode))
  }

  @Test func `a folder of another user is refused, and nothing in it changes`() async throws {
    var folder = "/"
    if geteuid() == 0 {
      folder = stage.queueFolder
      #expect(mkdir(folder, 0o755) == 0)
      #expect(chown(folder, 65_534, 65_534) == 0)
    }
    let before = try FileManager.default.contentsOfDirectory(atPath: folder)
    let queue = try TransferQueue(at: folder, session: stage.session())
    let message = await QueueStage.message { _ = try await queue.add(stage.download("a")) }
    #expect(message.contains("is not a folder that only this user can write"), "\(message)")
    #expect(Set(try FileManager.default.contentsOfDirectory(atPath: folder)) == Set(before))
    await queue.close()
  }

  @Test(arguments: ["forms", "transfers.sqlite", "transfers.sqlite-wal", "lock", "runner"])
  func `a link in the place of a file of the folder is moved aside, and its target is not touched`(name: String)
    async throws
  {
    let target = stage.folder.file("target")
    #expect(mkdir(stage.queueFolder, 0o700) == 0)
    try Data("the target".utf8).write(to: URL(filePath: target))
    let link = "\(stage.queueFolder)/\(name)"
    #expect(symlink(target, link) == 0)
    let queue = try stage.queue { $0.network = FakeNetwork(.unavailable) }
    try await queue.add(.upload(try OutgoingRequest("https://example.com/b", method: .post, body: .text("a form"))))
    #expect(try stage.folder.text("target") == "the target")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link + ".aside-1") == target)
    #expect(throws: (any Error).self) { try FileManager.default.destinationOfSymbolicLink(atPath: link) }
    await queue.close()
  }

  @Test(arguments: [0o600, 0o644, 0o664, 0o666] as [mode_t])
  func `a complete download has an identity with each umask`(mode: mode_t) throws {
    let path = stage.file("a")
    try Data("x".utf8).write(to: URL(filePath: path))
    chmod(path, mode)
    #expect(Placement.identity(of: path) != nil)
    symlink(path, stage.file("b"))
    #expect(Placement.identity(of: stage.file("b")) == nil)
  }

  @Test func `a link in the place of the folder is refused`() async throws {
    let real = stage.folder.file("real")
    try FileManager.default.createDirectory(atPath: real, withIntermediateDirectories: false)
    symlink(real, stage.queueFolder)
    #expect(await QueueStage.message { _ = try await stage.queue().transfers }.contains("symbolic link"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: real) == [])
  }

  @Test func `a database with a second name is refused and stays, and the lock of its runner holds`() async throws {
    let ids = try await stage.fill(2)
    let lock = try #require(try QueueFolder(at: stage.queueFolder).takeRunnerLock())
    for name in ["transfers.sqlite", "runner"] {
      #expect(link("\(stage.queueFolder)/\(name)", stage.folder.file("copy of \(name)")) == 0)
    }
    let isFree = try QueueFolder(at: stage.queueFolder).takeRunnerLock() != nil
    #expect(!isFree)
    let visitor = try stage.queue { $0.runsTransfers = false }
    #expect(await QueueStage.message { _ = try await visitor.transfers }.contains("second name"))
    unlink(stage.folder.file("copy of transfers.sqlite"))
    #expect(try await visitor.transfers.map(\.id) == ids)
    await visitor.close()
    extendLifetime(lock)
  }

  @Test func `a folder that cannot be written is an error, and nothing hangs`() async throws {
    guard geteuid() != 0 else { return }
    _ = try await stage.fill(1)
    chmod(stage.queueFolder, 0o500)
    #expect(await QueueStage.message { _ = try await stage.queue().transfers } != "")
    chmod(stage.queueFolder, 0o700)
  }
}
