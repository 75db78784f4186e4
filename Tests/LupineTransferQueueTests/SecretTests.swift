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
  private let stage: QueueStage

  init() throws { stage = try QueueStage() }

  /// Whether a file of the folder has the text.
  private func isStored(_ text: String) throws -> Bool {
    let names = try FileManager.default.contentsOfDirectory(atPath: stage.queueFolder)
    return names.contains { name in
      guard name != "socket" else { return false }
      return FileManager.default.contents(atPath: "\(stage.queueFolder)/\(name)")?.range(of: Data(text.utf8)) != nil
    }
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
    await queue.close()
    #expect(try !isStored("s3cr3t"))
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
    await queue.close()
    #expect(try !isStored("s3cr3t"))
  }

  @Test func `a signed URL is stored if the program says so`() async throws {
    let queue = try stage.queue { $0.network = FakeNetwork(.unavailable) }
    var transfer = QueuedTransfer.download(Self.signed, to: .file(stage.file("a")))
    transfer.options = .storingSecrets
    try await queue.add(transfer)
    #expect(try await queue.transfers.map(\.url) == ["https://example.com/a"])
    await queue.close()
    #expect(try isStored("s3cr3t"))
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
    #expect(try isStored("https://example.com/b"))
    #expect(try !isStored("s3cr3t"))
  }

  @Test func `a signed URL comes from the program at each attempt, and is not stored`() async throws {
    stage.mock.stub(.get, "/a", where: [.query("X-Amz-Signature", "s3cr3t")], .data(Data("a".utf8)))
    let queue = try stage.queue { configuration in
      configuration.refreshURL = { snapshot in "\(snapshot.url)?X-Amz-Signature=s3cr3t" }
    }
    var transfer = stage.download("a")
    transfer.asksForURL = true
    try await queue.add(transfer)
    #expect(try #require(try await queue.next(1).first).isFinished)
    await queue.close()
    #expect(try !isStored("s3cr3t"))
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
    stage.mock.stub(.get, "/a") { request in
      request.headers[.authorization] == nil ? .challenge("Basic realm=\"a\"") : .data(Data("a".utf8))
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
    await queue.close()
    #expect(try !isStored("s3cr3t"))
  }
}
