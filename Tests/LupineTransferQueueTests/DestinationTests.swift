import Foundation
import Glibc
import LupineCore
import LupineFixtures
import LupineMock
import LupineSession
import LupineTransfers
import Testing

@testable import LupineTransferQueue

/// Files, links and folders at the destination of a download.
@Suite(.timeLimit(.minutes(1))) struct DestinationTests {
  enum Obstacle: CaseIterable { case file, link, danglingLink, folder }

  private let stage: QueueStage

  init() throws {
    stage = try QueueStage()
    try stage.folder.write("the target", to: "target")
  }

  private var destination: String { stage.file("a") }

  private func place(_ obstacle: Obstacle) throws {
    switch obstacle {
    case .file: try stage.folder.write("old", to: "files/a")
    case .link: try #require(symlink(stage.folder.file("target"), destination) == 0)
    case .danglingLink: try #require(symlink(stage.folder.file("nothing"), destination) == 0)
    case .folder: try #require(mkdir(destination, 0o700) == 0)
    }
  }

  /// Checks that the obstacle is as it was placed.
  private func expectUntouched(_ obstacle: Obstacle) throws {
    let target = try? FileManager.default.destinationOfSymbolicLink(atPath: destination)
    switch obstacle {
    case .file: #expect(stage.content("a") == Data("old".utf8))
    case .link: #expect(target == stage.folder.file("target"))
    case .danglingLink: #expect(target == stage.folder.file("nothing"))
    case .folder: #expect(try FileManager.default.contentsOfDirectory(atPath: destination) == [])
    }
    try expectTargets()
  }

  /// Checks that nothing was written through a link.
  private func expectTargets() throws {
    #expect(try stage.folder.text("target") == "the target")
    #expect(!FileManager.default.fileExists(atPath: stage.folder.file("nothing")))
  }

  @Test(arguments: Obstacle.allCases)
  func `a file, link or folder that appears at the destination during a download stays`(
    obstacle: Obstacle
  ) async throws {
    stage.mock.stub(.get, "/a") { _ in
      try place(obstacle)
      return .data(Data("new".utf8))
    }
    let queue = try stage.queue()
    let id = try await queue.add(stage.download("a"))
    let failure = try #require(try await queue.next(1).first?.failure)
    #expect(failure.kind == "fileFailed")
    #expect(failure.message.contains("There is already a file at \(destination)."), "\(failure)")
    try expectUntouched(obstacle)
    // The complete file waits under the name that the message has.
    let staged = try #require(stage.names.first { $0 != "a" })
    #expect(stage.names.count == 2)
    #expect(failure.message.contains("The complete file is \(stage.file(staged));"), "\(failure)")
    #expect(stage.content(staged) == Data("new".utf8))
    #expect(remove(destination) == 0)
    try await queue.resume(id)
    #expect(try #require(try await queue.next(1).first).isFinished)
    #expect(stage.content("a") == Data("new".utf8))
    #expect(stage.names == ["a"])
    #expect(stage.mock.requests.count == 1)
    await queue.close()
  }

  @Test(arguments: Obstacle.allCases)
  func `a file, link or folder at the destination fails the transfer before its first request`(
    obstacle: Obstacle
  ) async throws {
    try place(obstacle)
    let queue = try stage.queue()
    try await queue.add(stage.download("a"))
    let failure = try #require(try await queue.next(1).first?.failure)
    #expect(failure.message.contains("There is already a file at \(destination);"), "\(failure)")
    #expect(stage.mock.requests.isEmpty)
    try expectUntouched(obstacle)
    #expect(stage.names == ["a"])
    await queue.close()
  }

  @Test(arguments: Obstacle.allCases)
  func `a download that may replace a file replaces a link itself, and no folder`(obstacle: Obstacle)
    async throws
  {
    stage.mock.stub(.get, "/a") { _ in
      try place(obstacle)
      return .data(Data("new".utf8))
    }
    let queue = try stage.queue()
    try await queue.add(.download("https://example.com/a", to: .file(destination, .removePreviousFile)))
    let event = try #require(try await queue.next(1).first)
    if obstacle == .folder {
      #expect(event.failure?.message.contains("is a folder and cannot be replaced") == true, "\(event)")
      try expectUntouched(obstacle)
    } else {
      #expect(event.isFinished, "\(event)")
      #expect((try? FileManager.default.destinationOfSymbolicLink(atPath: destination)) == nil)
      #expect(stage.content("a") == Data("new".utf8))
      try expectTargets()
    }
    await queue.close()
  }
}
