import Dispatch
import Foundation
import HTTPTypes
import LupineCore
import LupineSession
import LupineMock
import LupineTransfers
import Testing

@Suite struct ProgressTests {
  let mock = MockTransport()
  let session: Session

  init() throws {
    session = try Session.Builder().transport(mock).clock(ImmediateClock()).baseURL("https://example.com").build()
    mock.stub(.get, "/a", MockReply.data(Data(count: 10_000)).bandwidth(bytesPerSecond: 1_000))
  }

  /// The figures of a download of 10000 bytes at 1000 bytes a second.
  private func figures(interval: Duration = .zero) async throws -> [TransferProgress] {
    let notes = Notes<TransferProgress>()
    _ = try await session.request("a").downloadProgress(interval: interval) { notes.add($0) }.serializingData().value
    return notes.all
  }

  @Test func `progress comes in order, has the speed and ends with the whole`() async throws {
    let figures = try await figures()
    #expect(zip(figures, figures.dropFirst()).allSatisfy { $0.completed < $1.completed })
    #expect(figures.allSatisfy { $0.total == 10_000 && $0.fractionCompleted == Double($0.completed) / 10_000 })
    #expect(figures.last?.completed == 10_000)
    #expect(figures.last.map { abs($0.throughput - 1_000) < 200 } == true)
  }

  @Test func `two calls are separated by the interval, on the session's clock`() async throws {
    let figures = try await figures(interval: .seconds(3))
    // The last report is always made. At 1000 bytes a second, a report's thousands of bytes are its time in seconds.
    let seconds = figures.dropLast().map { Double($0.completed) / 1_000 }
    #expect(zip(seconds, seconds.dropFirst()).allSatisfy { $1 - $0 >= 2.9 })
    #expect(figures.count <= 5)
    #expect(figures.last?.completed == 10_000)
  }

  @Test func `a handler is called on its queue, and before the response`() async throws {
    let key = DispatchSpecificKey<String>()
    let queue = DispatchQueue(label: "progress")
    queue.setSpecific(key: key, value: "queue")
    let calls = Notes<String?>()
    session.request("a").downloadProgress(queue: queue) { _ in calls.add(DispatchQueue.getSpecific(key: key)) }
      .responseData { _ in calls.add("response") }
    await session.finishRequests()
    #expect(calls.all.last == "response")
    #expect(calls.all.count >= 2)
    #expect(calls.all.dropLast().allSatisfy { $0 == "queue" })
  }

  @Test(arguments: [Int64?.none, 300_000])
  func
    `the progress of a body that is sent again continues from its greatest value, whether its length is known or not`(
      length: Int64?
    ) async throws
  {
    let body = RequestBody.stream(length: length) {
      AsyncStream<[UInt8]> { continuation in
        for _ in 0..<30 { continuation.yield([UInt8](repeating: 1, count: 10_000)) }
        continuation.finish()
      }
    }
    mock.stub(.put, "/up", .sequence([.status(.serviceUnavailable), .text("received")]))
    let notes = Notes<TransferProgress>()
    let answer = try await session.upload(body, to: "up", method: .put).validate().retrier(.backoff(limit: 1))
      .uploadProgress { notes.add($0) }.serializingString().value
    #expect(answer == "received")
    #expect(mock.requests.map(\.body.count) == [300_000, 300_000])
    #expect(zip(notes.all, notes.all.dropFirst()).allSatisfy { $0.completed < $1.completed })
    #expect(notes.all.last?.completed == 300_000)
    #expect(notes.all.allSatisfy { $0.total == length })
  }

  @Test func `an empty body is whole at once, and one of unknown length has no fraction`() {
    #expect(TransferProgress(completed: 0, total: 0).fractionCompleted == 1)
    #expect(TransferProgress(completed: 5, total: nil).fractionCompleted == 0)
    #expect(TransferProgress(completed: 5, total: 4).fractionCompleted == 1)
  }

  @Test func `the speed is that of the exchange, without earlier ones and the waits between them`() async throws {
    let whole = MockReply.resource(Data(count: 10_000), etag: "v1").bandwidth(bytesPerSecond: 1_000)
    mock.stub(.get, "/cut", .sequence([whole.reset(afterBytes: 5_000), whole]))
    let notes = Notes<TransferProgress>()
    let file = try await session.download("cut").resumesAutomatically(delay: .seconds(60))
      .downloadProgress { notes.add($0) }.serializingFile().value
    try FileManager.default.removeItem(at: file)
    #expect(mock.requests.last?.headers[.range] == "bytes=5000-")
    #expect(notes.all.last?.completed == 10_000)
    #expect(notes.all.last.map { abs($0.throughput - 1_000) < 200 } == true)
  }
}
