import Foundation
import HTTPTypes
import LupineCore
import LupineFixtures
import LupineMock
import LupineResumableUpload
import LupineSession
import Synchronization
import Testing

@testable import LupineTransferQueue

/// Uploads that continue from what the server has, through the closure that the program gives to the queue.
@Suite(.timeLimit(.minutes(1))) struct ResumedUploadTests {
  private static func configure(_ configuration: inout TransferQueue.Configuration) {
    configuration.resumption = TransferQueue.UploadResumption { upload, name, store in
      upload.resumable().checkpoint(name, in: store)
    } discard: { session, name, store in
      try await session.discardUpload(checkpoint: name, in: store)
    }
  }

  @Test(arguments: [false, true]) func `an upload that was interrupted continues in the next process`(
    isPaced: Bool
  ) async throws {
    let stage = try QueueStage()
    let received = Mutex(Data())
    stage.mock.stub(.post, "/videos", count: .times(1)) { request in
      received.withLock { $0 = request.body.prefix(4_000) }
      var place = HTTPResponse(status: .init(code: 104), headerFields: [.location: "/uploads/7"])
      place.headerFields["Upload-Draft-Interop-Version"] = "8"
      return MockReply.reset.informational([place])
    }
    stage.mock.stub(.head, "/uploads/7") { _ in
      MockReply.empty.field("Upload-Offset", "\(received.withLock { $0.count })").field("Upload-Complete", "?0")
    }
    stage.mock.stub(.patch, "/uploads/7") { request in
      received.withLock { $0 += request.body }
      return .text("thanks").field("Upload-Complete", "?1")
    }
    let data = Data.pattern(10_000)
    let path = try stage.folder.write(data, to: "video")
    let first = try stage.queue { Self.configure(&$0) }
    let id = try await first.add(.upload(file: path, to: "https://example.com/videos"))
    #expect(try await first.next(1).first?.failure != nil)
    await first.close()
    let second = try stage.queue(clock: nil) { configuration in
      Self.configure(&configuration)
      if isPaced { configuration.bytesPerSecond = 1 << 30 }
    }
    try await second.resume(id)
    let event = try #require(try await second.next(1).first)
    #expect(event.kind == .finished(TransferResult(status: 200, response: Data("thanks".utf8))))
    #expect(received.withLock { $0 } == data)
    await second.close()
  }

  @Test func `a removed upload is deleted at the server`() async throws {
    let stage = try QueueStage()
    stage.mock.stub(.post, "/videos") { _ in
      var place = HTTPResponse(status: .init(code: 104), headerFields: [.location: "/uploads/7"])
      place.headerFields["Upload-Draft-Interop-Version"] = "8"
      return MockReply.reset.informational([place])
    }
    stage.mock.stub(.delete, "/uploads/7", .empty)
    let path = try stage.folder.write(Data.pattern(10_000), to: "video")
    let queue = try stage.queue { Self.configure(&$0) }
    let id = try await queue.add(.upload(file: path, to: "https://example.com/videos"))
    #expect(try await queue.next(1).first?.failure != nil)
    try await queue.remove(id)
    while await !queue.engine.machine.items.isEmpty { await Task.yield() }
    #expect(stage.mock.requests.map(\.method).contains(.delete))
    await queue.close()
  }

  @Test(arguments: [MockReply.status(.forbidden), .reset, .empty.field("Upload-Offset", "99999")])
  func `the location of an upload stands in no text that people read`(reply: MockReply) async throws {
    let stage = try QueueStage()
    stage.mock.stub(.post, "/videos") { _ in
      var place = HTTPResponse(status: .init(code: 104), headerFields: [.location: "/uploads/s3cr3t?token=s3cr3t"])
      place.headerFields["Upload-Draft-Interop-Version"] = "8"
      return MockReply.reset.informational([place])
    }
    stage.mock.stub(.head, "/uploads/s3cr3t", reply)
    let path = try stage.folder.write(Data.pattern(10_000), to: "video")
    let queue = try stage.queue { Self.configure(&$0) }
    let id = try await queue.add(.upload(file: path, to: "https://example.com/videos"))
    #expect(try await queue.next(1).first?.failure != nil)
    try await queue.resume(id)
    let event = try #require(try await queue.next(1).first)
    #expect(event.failure != nil)
    #expect(stage.mock.requests.contains { $0.method == .head })
    let texts = ["\(event)", "\(String(describing: try await queue.transfers))"]
    for text in texts { #expect(!text.contains("s3cr3t"), "\(text)") }
    await queue.close()
  }
}
