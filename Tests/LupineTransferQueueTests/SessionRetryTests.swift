import Foundation
import LupineCore
import LupineFixtures
import LupineMock
import LupineSession
import Testing

@testable import LupineTransferQueue

/// The retriers of the session and their budget, which hold for the requests of a queue.
@Suite(.timeLimit(.minutes(1))) struct SessionRetryTests {
  private let stage: QueueStage

  init() throws { stage = try QueueStage() }

  private func transfer(_ name: String, isUpload: Bool) throws -> QueuedTransfer {
    guard isUpload else { return stage.download(name) }
    return .upload(file: try stage.folder.write("x", to: name), to: "https://example.com/\(name)", method: .put)
  }

  @Test(arguments: [false, true]) func `a retrier of the session retries a transfer that a server refuses with 503`(
    isUpload: Bool
  ) async throws {
    stage.mock.stub([.get, .put], "/a", count: .times(2), .status(.serviceUnavailable))
    stage.mock.stub([.get, .put], "/a", .data(Data("a".utf8)))
    let queue = try stage.queue(try stage.session { $0.retrier(RetryPolicy(limit: 2)) })
    try await queue.add(transfer("a", isUpload: isUpload))
    #expect(try #require(try await queue.next(1).first).isFinished)
    #expect(stage.mock.requests.count == 3)
    await queue.close()
  }

  @Test func `a transfer that a server refuses with 503 is not retried without a retrier`() async throws {
    stage.mock.stub(.get, "/a", .status(.serviceUnavailable))
    let queue = try stage.queue()
    try await queue.add(stage.download("a"))
    #expect(try await queue.next(1).first?.failure?.status == 503)
    #expect(stage.mock.requests.count == 1)
    await queue.close()
  }

  @Test(arguments: [false, true]) func `a budget that is exhausted ends the retries of all transfers`(isUpload: Bool)
    async throws
  {
    stage.mock.stub([.get, .put], "/{name}", .status(.serviceUnavailable))
    let policy = RetryPolicy(limit: 5, budget: RetryBudget(capacity: 2, refund: 0))
    let queue = try stage.queue(try stage.session { $0.retrier(policy) }) { $0.limit = 1 }
    try await queue.add([transfer("a", isUpload: isUpload), transfer("b", isUpload: isUpload)])
    #expect(try await queue.next(2).compactMap(\.failure?.status) == [503, 503])
    // Two retries of the first transfer, and none of the second one.
    #expect(stage.mock.requests.map(\.url.path) == ["/a", "/a", "/a", "/b"])
    await queue.close()
  }

  @Test func `all transfers share the budget of the session, which has 100 retries`() async throws {
    stage.mock.stub(.get, "/{name}", .status(.serviceUnavailable))
    let queue = try stage.queue(try stage.session { $0.retrier(RetryPolicy(limit: 1)) })
    try await queue.add((0..<130).map { stage.download("\($0)") })
    #expect(try await queue.next(130).allSatisfy { $0.failure?.status == 503 })
    #expect(stage.mock.requests.count == 130 + 100)
    await queue.close()
  }
}
