import Foundation
import HTTPTypes
import LupineCore
import LupineFixtures
import LupineMock
import LupineSession
import LupineTransfers
import Synchronization
import Testing

/// Bodies that a server sends with an error status in place of the file.
@Suite struct ErrorPageTests: TransferSuite {
  let bench: TransferBench

  init() throws {
    var limits = Limits()
    limits.discardedBody = 100_000
    bench = try TransferBench { [limits] in $0.limits(limits) }
  }

  @Test
  func `an endless body of an error status is read up to the limit of discarded bodies, and the status is the error`()
    async throws
  {
    let taken = Atomic(0)
    let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 10_000)
    let endless = RequestBody.stream {
      AsyncStream<[UInt8]>(unfolding: { taken.wrappingAdd(1, ordering: .relaxed).oldValue < 10_000 ? piece : nil })
    }
    mock.stub(.get, "/a", .body(endless, status: .internalServerError))
    let response = await session.download("a", to: .file(folder.file("a"))).serializingFile().response
    #expect(response.error?.kind == .unacceptableStatusCode(500))
    #expect(response.response?.status.code == 500)
    #expect(taken.load(ordering: .relaxed) < 100)
    #expect(folder.names.isEmpty)
  }

  @Test func `a response with an error body over the limit is retried by its status`() async throws {
    let page = MockReply.data(Data(count: 100_001), status: .serviceUnavailable)
    mock.stub(.get, "/a", .sequence([page, .text("content")]))
    let request = session.download("a", to: .file(folder.file("a"))).validate().retrier(.backoff(limit: 1))
    #expect(await request.serializingFile().response.error == nil)
    #expect(try folder.text("a") == "content")
  }

  @Test(arguments: [100_000, 100_001])
  func `a validator receives an error body within the limit, otherwise only its head`(count: Int) async {
    let page = MockReply.data(Data(count: count), status: .badRequest)
    mock.stub(.get, "/a", page)
    let seen = Atomic(-1)
    _ = await session.download("a", to: .file(folder.file("a")))
      .validate { _, _, data in seen.store(data.count, ordering: .relaxed) }
      .serializingFile().response
    #expect(seen.load(ordering: .relaxed) == (count == 100_000 ? count : 0))
  }
}
