import Foundation
import HTTPTypes
import LupineCore
import LupineFixtures
import LupineMock
import LupineSession
import Synchronization
import Testing

@testable import LupineTransferQueue

/// No secret is in the folder of a queue.
@Suite(.timeLimit(.minutes(1))) struct SecretTests {
  private static let signed = "https://example.com/a?X-Amz-Signature=s3cr3t&part=1"
  /// The secret in clear text, and as Basic sends it after `user:`.
  private static let secrets = ["s3cr3t", "dXNlcjpzM2NyM3Q"]
  private let stage: QueueStage

  init() throws { stage = try QueueStage() }

  /// The files at any depth of the folder that have the text.
  ///
  /// Another process reads them: a descriptor that this one closes would release its locks of the database (POSIX).
  private func places(of text: String) throws -> [String] {
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments =
      ["grep", "--recursive", "--text", "--fixed-strings", "--files-with-matches", "--devices=skip"]
      + ["--regexp", text, stage.queueFolder]
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    // 1 means that no file has the text, and 2 that a file could not be read.
    #expect([0, 1].contains(process.terminationStatus))
    return String(decoding: data, as: UTF8.self).split(separator: "\n")
      .map { String($0.dropFirst(stage.queueFolder.count + 1)) }
  }

  /// The files of the folder that have a secret.
  private var leaks: [String] { get throws { try Self.secrets.flatMap { try places(of: $0) } } }

  @Test func `the search for secrets reads the log, the shared memory and the forms`() async throws {
    let queue = try stage.queue { $0.network = FakeNetwork(.unavailable) }
    try await queue.add(.upload(try OutgoingRequest("https://example.com/f0rm", method: .post, body: .text("b0dy"))))
    let form = try #require(try FileManager.default.contentsOfDirectory(atPath: stage.queueFolder + "/forms").first)
    #expect(try places(of: "b0dy") == ["forms/\(form)"])
    #expect(try places(of: "https://example.com/f0rm") == ["transfers.sqlite-wal"])
    #expect(Set(try places(of: "")).isSuperset(of: ["transfers.sqlite-shm", "transfers.sqlite-wal", "forms/\(form)"]))
    await queue.close()
    #expect(try places(of: "https://example.com/f0rm") == ["transfers.sqlite"])
  }

  @Test(arguments: [
    QueuedTransfer.download("https://user:s3cr3t@example.com/a", to: .file("/tmp/a")),
    .download(signed, to: .file("/tmp/a")),
    .download("https://example.com/a", to: .file("/tmp/a"), headers: [.authorization: "Bearer s3cr3t"]),
    .download("https://example.com/a", to: .file("/tmp/a"), headers: ["X-API-Key": "s3cr3t"]),
    .download("https://example.com/a", to: .file("/tmp/a"), headers: ["Access-Token": "s3cr3t"]),
  ])
  func `a transfer with a secret is refused`(transfer: QueuedTransfer) async throws {
    let queue = try stage.queue()
    await #expect(throws: LupineError.self) { try await queue.add(transfer) }
    #expect(try await queue.transfers == [])
    #expect(try leaks == [])
    await queue.close()
    #expect(try leaks == [])
  }

  @Test func `the token of a service is refused in a transfer and in a profile`() async throws {
    let queue = try stage.queue { $0.network = FakeNetwork(.unavailable) }
    for name in SecretFieldNames.secret {
      let field = HTTPField(name: try #require(HTTPField.Name(name)), value: "s3cr3t")
      let transfer = QueuedTransfer.upload(
        try OutgoingRequest("https://example.com/a", method: .post, headers: HTTPFields([field]), body: .text("a")))
      let error = await #expect(throws: LupineError.self) { try await queue.add(transfer) }
      #expect(error?.message.lowercased().contains(name.lowercased()) == true, "\(name)")
      var profile = TransferQueue.Profile()
      profile.headers[name] = "s3cr3t"
      #expect(profile.issues.count == 1, "\(name)")
    }
    #expect(try leaks == [])
    await queue.close()
    #expect(try leaks == [])
  }

  @Test func `a signed URL is stored if the program says so`() async throws {
    let queue = try stage.queue { $0.network = FakeNetwork(.unavailable) }
    var transfer = QueuedTransfer.download(Self.signed, to: .file(stage.file("a")))
    transfer.options = .storingSecrets
    try await queue.add(transfer)
    #expect(try await queue.transfers.map(\.url) == ["https://example.com/a"])
    await queue.close()
    #expect(try leaks == ["transfers.sqlite"])
  }

  @Test func `a removed transfer leaves no byte of its URL in the folder, and no fragment is stored`() async throws {
    let queue = try stage.queue { $0.network = FakeNetwork(.unavailable) }
    var transfer = QueuedTransfer.download(Self.signed, to: .file(stage.file("a")))
    transfer.options = .storingSecrets
    let id = try await queue.add(transfer)
    try await queue.add(.download("https://example.com/b#s3cr3t", to: .file(stage.file("b"))))
    try await queue.remove(id)
    while await queue.engine.machine.items.count > 1 { await Task.yield() }
    await queue.close()
    #expect(try places(of: "https://example.com/b") == ["transfers.sqlite"])
    #expect(try leaks == [])
  }

  @Test func `a signed URL comes from the program at each attempt, and is not stored`() async throws {
    let data = Data.pattern(100_000)
    let found = Mutex<[String]?>(nil)
    stage.mock.stub(.get, "/a", where: [.query("X-Amz-Signature", "s3cr3t")]) { request in
      let reply = MockReply.resource(data, etag: "1")
      guard request.headers[.range] != nil else { return reply.reset(afterBytes: 50_000) }
      // The checkpoint of the first half is stored.
      let leaks = try leaks + (try places(of: "transfer 1").isEmpty ? ["no checkpoint"] : [])
      found.withLock { $0 = leaks }
      return reply
    }
    let queue = try stage.queue { configuration in
      configuration.refreshURL = { snapshot in "\(snapshot.url)?X-Amz-Signature=s3cr3t" }
    }
    var transfer = stage.download("a")
    transfer.asksForURL = true
    try await queue.add(transfer)
    #expect(try #require(try await queue.next(1).first).isFinished)
    #expect(found.withLock { $0 } == [])
    #expect(stage.content("a") == data)
    #expect(try leaks == [])
    await queue.close()
    #expect(try leaks == [])
  }

  @Test func `a stored URL is not sent by a process that cannot ask for the signed one`() async throws {
    stage.mock.stub(.get, "/{name}", .data(Data("x".utf8)))
    let program = try stage.queue { configuration in
      configuration.refreshURL = { snapshot in "\(snapshot.url)?X-Amz-Signature=s3cr3t" }
      configuration.runsTransfers = false
    }
    var transfer = stage.download("a")
    transfer.asksForURL = true
    try await program.add(transfer)
    await program.close()
    let runner = try stage.queue()
    #expect(try await runner.next(1).first?.failure?.message.contains("refreshURL") == true)
    #expect(stage.mock.requests.isEmpty)
    await runner.close()
  }

  @Test func `the session's provider is asked for the named credential, and without it the transfer waits`()
    async throws
  {
    let isThere = Atomic<Bool>(false)
    let names = Mutex<[String?]>([])
    let found = Mutex<[String]?>(nil)
    stage.mock.stub(.get, "/a") { request in
      guard request.headers[.authorization] == "Basic dXNlcjpzM2NyM3Q=" else { return .challenge("Basic realm=\"a\"") }
      let leaks = try leaks
      found.withLock { $0 = leaks }
      return .data(Data("a".utf8))
    }
    let session = try stage.session { builder in
      builder.onChallenge { question in
        names.withLock { $0.append(question.name) }
        return isThere.load(ordering: .relaxed) ? Credential(username: "user", password: "s3cr3t") : nil
      }
    }
    let queue = try stage.queue(session)
    var transfer = stage.download("a")
    transfer.credential = "accounting"
    let id = try await queue.add(transfer)
    #expect(try await queue.next(1).map(\.kind) == [.needsCredential("accounting")])
    #expect(try await queue.transfer(id)?.state == .waitingForCredential)
    isThere.store(true, ordering: .relaxed)
    try await queue.credentialsChanged()
    #expect(try #require(try await queue.next(1).first).isFinished)
    #expect(Set(names.withLock { $0 }) == ["accounting"])
    #expect(found.withLock { $0 } == [])
    #expect(try leaks == [])
    await queue.close()
    #expect(try leaks == [])
  }
}
