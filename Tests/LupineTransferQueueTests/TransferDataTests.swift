import Foundation
import LupineCore
import LupineSession
import Testing

@testable import LupineTransferQueue

/// The data that a program adds with a transfer.
@Suite(.timeLimit(.minutes(1))) struct TransferDataTests {
  private static let limit = 65_536

  private let stage: QueueStage

  init() throws { stage = try QueueStage() }

  /// A value with this number of bytes in JSON.
  private static func value(_ count: Int) -> String { String(repeating: "x", count: count - 2) }

  /// An upload whose body would be written to the folder.
  private func form() throws -> QueuedTransfer {
    .upload(try OutgoingRequest("https://example.com/form", method: .post, body: .text("a form")))
  }

  private var forms: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: stage.queueFolder + "/forms") }
  }

  @Test func `data of 64 KiB come back, also after a restart`() async throws {
    let first = try stage.queue { $0.network = FakeNetwork(.unavailable) }
    let id = try await first.add(stage.download("a"), data: Self.value(Self.limit))
    #expect(try await first.transfer(id)?.data.count == Self.limit)
    await first.close()
    let second = try stage.queue { $0.network = FakeNetwork(.unavailable) }
    #expect(try await second.transfer(id)?.value(of: String.self) == Self.value(Self.limit))
    await second.close()
  }

  @Test func `data of one byte more are refused before anything is written`() async throws {
    let queue = try stage.queue { $0.network = FakeNetwork(.unavailable) }
    #expect(try await queue.isRunner)
    let transactions = await queue.engine.transactions
    let refused = try form()
    let error = await #expect(throws: LupineError.self) {
      try await queue.add(refused, data: Self.value(Self.limit + 1))
    }
    #expect(error?.kind == .invalidRequest)
    #expect(error?.message == "The data of a transfer have 65537 bytes, more than 64 KiB.")
    #expect(try forms == [])
    #expect(await queue.engine.transactions == transactions)
    #expect(try await queue.transfers == [])
    await queue.close()
  }

  @Test func `one transfer that is refused leaves nothing of the others that were added with it`() async throws {
    let queue = try stage.queue { $0.network = FakeNetwork(.unavailable) }
    #expect(try await queue.isRunner)
    let transactions = await queue.engine.transactions
    var refused = stage.download("a")
    refused.data = Data(count: Self.limit + 1)
    let transfers = [try form(), refused, try form()]
    await #expect(throws: LupineError.self) { try await queue.add(transfers) }
    #expect(try forms == [])
    #expect(await queue.engine.transactions == transactions)
    #expect(try await queue.transfers == [])
    await queue.close()
  }
}
