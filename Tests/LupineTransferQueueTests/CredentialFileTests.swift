import Foundation
import Glibc
import LupineAuthentication
import LupineCore
import LupineFixtures
import LupineMock
import LupineSession
import Synchronization
import Testing

@testable import LupineTransferQueue

/// Credentials in files that transfers name.
@Suite(.timeLimit(.minutes(1))) struct CredentialFileTests {
  private let stage: QueueStage

  init() throws {
    stage = try QueueStage()
    mkdir(folder, 0o700)
  }

  private var folder: String { stage.folder.file("credentials") }

  private func write(_ text: String, to name: String, mode: mode_t = 0o600) {
    _ = FileManager.default.createFile(atPath: "\(folder)/\(name)", contents: Data(text.utf8))
    chmod("\(folder)/\(name)", mode)
  }

  private func transfer(_ credential: String, url: String = "https://example.com/a") -> QueuedTransfer {
    var transfer = QueuedTransfer.download(url, to: .file(stage.file("\(credential.hashValue)")))
    transfer.credential = credential
    return transfer
  }

  private func queue() throws -> TransferQueue {
    stage.mock.stub(.get, "/a") { request in
      switch request.headers[.authorization] {
      case "Bearer t0ken", "Basic dXNlcjpwYXNz": .data(Data("x".utf8))
      default: .challenge("Basic realm=\"a\"")
      }
    }
    return try stage.queue(stage.session { $0.install(CredentialFiles(in: folder)) })
  }

  @Test(arguments: ["Bearer t0ken\n", "Bearer t0ken", "user:pass\n"])
  func `a token and a password are used`(text: String) async throws {
    write(text, to: "accounting")
    let queue = try queue()
    try await queue.add(transfer("accounting"))
    #expect(try await queue.next(1).first?.isFinished == true)
    await queue.close()
  }

  @Test func `a transfer whose file is missing waits, and continues with it`() async throws {
    let queue = try queue()
    let id = try await queue.add(transfer("accounting"))
    #expect(try await queue.next(1).map(\.kind) == [.needsCredential("accounting")])
    #expect(try await queue.transfer(id)?.state == .waitingForCredential)
    write("Bearer t0ken", to: "accounting", mode: 0o400)
    try await queue.credentialsChanged()
    #expect(try await queue.next(1).first?.isFinished == true)
    await queue.close()
  }

  @Test func `a file that cannot be used fails its transfer and is named`() async throws {
    write("", to: "empty")
    write("nothing", to: "none")
    write("Bearer a b", to: "space")
    write("a:b\nc:d\n", to: "lines")
    write(String(repeating: "x", count: 20_000), to: "long")
    symlink("lines", "\(folder)/link")
    mkfifo("\(folder)/pipe", 0o600)
    mkdir("\(folder)/folder", 0o700)
    let queue = try queue()
    for name in ["empty", "none", "space", "lines", "long", "link", "pipe", "folder"] {
      try await queue.add(transfer(name))
      let failure = try #require(try await queue.next(1).first?.failure, "\(name)")
      #expect(failure.message.contains("\(folder)/\(name)"), "\(failure)")
      #expect(!failure.message.contains("t0ken"))
    }
    await queue.close()
  }

  @Test(arguments: [0o640, 0o620, 0o604, 0o602, 0o644, 0o777] as [mode_t])
  func `a file of another mode fails its transfer, and is named with the mode that it needs`(mode: mode_t) async throws
  {
    write("Bearer t0ken", to: "accounting", mode: mode)
    let queue = try queue()
    try await queue.add(transfer("accounting"))
    let message = try #require(try await queue.next(1).first?.failure).message
    #expect(message.contains("\(folder)/accounting"), "\(message)")
    #expect(message.contains("0600"), "\(message)")
    #expect(stage.mock.requests.isEmpty)
    await queue.close()
  }

  @Test(arguments: ["../accounting", "a/b", ".hidden", "..", "a b", "a\0b", ""])
  func `a name that could leave the folder is refused`(name: String) async throws {
    _ = FileManager.default.createFile(atPath: stage.folder.file("accounting"), contents: Data("Bearer t0ken".utf8))
    chmod(stage.folder.file("accounting"), 0o600)
    let queue = try queue()
    try await queue.add(transfer(name))
    let message = try #require(try await queue.next(1).first?.failure).message
    #expect(message.contains("\(name.debugDescription) names no file of a credential"), "\(message)")
    #expect(stage.mock.requests.isEmpty)
    await queue.close()
  }

  /// The token of a credential; `nil` if there is none.
  private func token(_ name: String, _ files: CredentialFiles) async throws -> String? {
    if case .token(let token) = try await files.find(name) { token } else { nil }
  }

  @Test func `the standard credentials are those of systemd, and then those of the user`() async throws {
    let (system, settings, home) = ("system", "settings/lupine/credentials", "home/.config/lupine/credentials")
    for (place, names) in [(system, ["a"]), (settings, ["a", "b"]), (home, ["a", "b", "c"])] {
      for name in names { chmod(try stage.folder.write("Bearer \(place)", to: "\(place)/\(name)"), 0o600) }
    }
    // systemd lets the group of a service read its files.
    chmod(stage.folder.file("\(system)/a"), 0o440)
    var variables = [
      "CREDENTIALS_DIRECTORY": stage.folder.file("system"), "XDG_CONFIG_HOME": stage.folder.file("settings"),
      "HOME": stage.folder.file("home"),
    ]
    let files = CredentialFiles.standard { variables[$0] }
    #expect(try await token("a", files) == system)
    #expect(try await token("b", files) == settings)
    #expect(try await token("c", files) == nil)
    variables = ["HOME": stage.folder.file("home")]
    #expect(try await token("c", .standard { variables[$0] }) == home)
    #expect(try await token("c", .standard { _ in nil }) == nil)
  }

  @Test func `a file of systemd that everyone can read is refused`() async throws {
    chmod(try stage.folder.write("Bearer t0ken", to: "system/a"), 0o444)
    let files = CredentialFiles.standard { $0 == "CREDENTIALS_DIRECTORY" ? stage.folder.file("system") : nil }
    let error = await #expect(throws: LupineError.self) { try await files.find("a") }
    #expect(error?.message.contains(stage.folder.file("system/a")) == true)
  }

  @Test(arguments: ["Bearer t0ken", "user:pass"]) func `no secret is sent without TLS`(text: String) async throws {
    write(text, to: "accounting")
    let queue = try queue()
    try await queue.add(transfer("accounting", url: "http://example.com/a"))
    let failure = try #require(try await queue.next(1).first?.failure)
    #expect(failure.message.contains("without TLS"), "\(failure)")
    #expect(stage.mock.requests.allSatisfy { $0.headers[.authorization] == nil })
    await queue.close()
  }

  @Test func `a password answers a challenge of Digest without TLS`() async throws {
    write("user:pass", to: "accounting")
    stage.mock.stub(.get, "/b") { request in
      guard request.headers[.authorization]?.hasPrefix("Digest ") == true else {
        return .challenge("Digest realm=\"a\", nonce=\"n\", qop=\"auth\", algorithm=SHA-256")
      }
      return .data(Data("x".utf8))
    }
    let queue = try stage.queue(stage.session { $0.install(.authentication).install(CredentialFiles(in: folder)) })
    try await queue.add(transfer("accounting", url: "http://example.com/b"))
    #expect(try await queue.next(1).first?.isFinished == true)
    await queue.close()
  }
}
