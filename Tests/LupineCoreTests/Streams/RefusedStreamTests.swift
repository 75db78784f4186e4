import Foundation
import HTTPTypes
import LupineMock
@testable import LupineSession
import Synchronization
import Testing

@testable import LupineCore
@testable import LupineStreams

/// The bytes that are read from a stream whose head a validator refuses.
@Suite struct RefusedStreamTests {
  private static let page = #"{"message":"Wrong key.","code":7}"#
  private static let refused = MockReply.text(page, status: .badRequest).field(.contentType, "application/json")

  private func text(_ error: LupineError?) -> String? { error?.body.map { String(decoding: $0, as: UTF8.self) } }

  @Test func `its error has the first bytes of the body, whichever way the stream is read`() async throws {
    let session = try TestBed(Self.refused).session()
    func stream() -> DataStreamRequest { session.streamRequest(TestBed.url).validate() }
    #expect(text(await stream().failure()) == Self.page)
    let lines = await #expect(throws: LupineError.self) { for try await _ in stream().serializingLines() {} }
    #expect(text(lines) == Self.page)
    let events = await #expect(throws: LupineError.self) { for try await _ in stream().serializingEvents() {} }
    #expect(events?.kind == .unacceptableStatusCode(400))
    #expect(text(events) == Self.page)
    let head = await #expect(throws: LupineError.self) { try await stream().serializingBytes().head }
    #expect(text(head) == Self.page)
    let error = await withCheckedContinuation { done in
      stream().responseStreamEvent { if let end = $0.completion { done.resume(returning: end.error) } }
    }
    #expect(text(error) == Self.page)
  }

  @Test func `the body is whole wherever it is cut on its way`() async throws {
    let bytes = Data(Self.page.utf8)
    let cuts = (1..<bytes.count).map { [bytes.prefix($0), bytes.dropFirst($0)] } + [bytes.map { Data([$0]) }]
    for pieces in cuts {
      let session = try TestBed(MockReply.status(.badRequest).chunked(pieces)).session()
      #expect(text(await session.streamRequest(TestBed.url, window: 5).validate().failure()) == Self.page)
    }
  }

  @Test(arguments: [1, 10, 1000])
  func `at most Limits errorBody bytes are read, however long the body`(limit: Int) async throws {
    var limits = Limits()
    limits.errorBody = Int64(limit)
    let taken = Atomic(0)
    let endless = RequestBody.stream {
      AsyncStream<[UInt8]>(unfolding: {
        taken.wrappingAdd(1, ordering: .relaxed).oldValue < 10_000 ? [UInt8](repeating: 0x78, count: 100) : nil
      })
    }
    let session = try TestBed(.body(endless, status: .badRequest)).session { [limits] in $0.limits(limits) }
    let error = await session.streamRequest(TestBed.url, window: 200).validate().failure()
    #expect(error?.kind == .unacceptableStatusCode(400))
    #expect(error?.body == Data(repeating: 0x78, count: limit))
    // Up to 256 KiB may arrive before the head is refused.
    #expect(taken.load(ordering: .relaxed) < 2_700)
  }

  @Test func `a server that stalls ends it at the idle timeout, with what has arrived`() async throws {
    let bench = TestBed(Self.refused.stall(afterBytes: 9))
    let session = try bench.session { $0.timeouts(idle: .seconds(7)) }
    let error = await session.streamRequest(TestBed.url).validate().failure()
    #expect(error?.kind == .unacceptableStatusCode(400))
    #expect(text(error) == #"{"message"#)
    #expect(bench.clock.now.offset >= .seconds(7))
  }

  @Test func `a server that sends a byte now and then does not hold it up either`() async throws {
    // A simulation advances its clock only when the reader has taken all bytes.
    let (error, time) = try await withSimulation { world in
      let bench = TestBed(.status(.badRequest).chunked(Array(repeating: "x", count: 1000), every: .seconds(2)))
      let session = try Session.Builder().transport(bench.mock).timeouts(idle: .seconds(7)).build()
      let error = await session.streamRequest(TestBed.url).validate().failure()
      return (error, world.clock.now.offset)
    }
    #expect(error?.kind == .unacceptableStatusCode(400))
    // The bytes of the seconds 0, 2, 4 and 6.
    #expect(text(error) == "xxxx")
    #expect(time == .seconds(7))
  }

  @Test func `a body that breaks off leaves the refusal, with what has arrived`() async throws {
    let session = try TestBed(Self.refused.reset(afterBytes: 9)).session()
    let error = await session.streamRequest(TestBed.url).validate().failure()
    #expect(error?.kind == .unacceptableStatusCode(400))
    #expect(text(error) == #"{"message"#)
  }

  @Test(arguments: [true, false])
  func `the request's deadlines hold while it is read`(isAttempt: Bool) async throws {
    let bench = TestBed(Self.refused.stall(afterBytes: 9))
    let session = try bench.session {
      $0.timeouts(idle: .seconds(70), total: isAttempt ? nil : .seconds(5), attempt: isAttempt ? .seconds(5) : nil)
    }
    let error = await session.streamRequest(TestBed.url).validate().failure()
    #expect(error?.kind == .timedOut(isAttempt ? .attempt : .total))
    #expect(bench.clock.now.offset == .seconds(5))
  }

  @Test func `a cancellation ends the reading`() async throws {
    let request = Mutex<DataStreamRequest?>(nil)
    let taken = Atomic(0)
    let body = RequestBody.stream {
      AsyncStream<[UInt8]>(unfolding: {
        let count = taken.wrappingAdd(1, ordering: .relaxed).oldValue
        if count == 5 { request.withLock { $0 }?.cancel() }
        return count < 1_000 ? [0x78] : nil
      })
    }
    let session = try TestBed(.body(body, status: .badRequest)).session()
    let refused = session.streamRequest(TestBed.url).validate()
    request.withLock { $0 = refused }
    #expect(await refused.failure()?.isCancelled == true)
    // Up to 256 KiB may arrive before the head is refused.
    #expect(taken.load(ordering: .relaxed) < 2_700)
  }

  @Test func `its metrics count the bytes that were read`() async throws {
    let session = try TestBed(Self.refused).session()
    let request = session.streamRequest(TestBed.url).validate()
    #expect(await request.failure()?.metrics?.bytesReceived ?? 0 > 0)
    #expect(request.allMetrics.count == 1)
  }

  @Test func `a refused stream is retried as before`() async throws {
    let bench = TestBed(.sequence([.text("busy", status: .serviceUnavailable), .text("one\n")]))
    let session = try bench.session { $0.retrier(.backoff(limit: 1)) }
    var lines: [String] = []
    for try await line in session.streamRequest(TestBed.url).validate().serializingLines() { lines.append(line) }
    #expect(lines == ["one"])
  }

  @Test func `a line that does not decode is the body of its error`() async throws {
    let session = try TestBed(.text("1\n\"two\"\n3\n")).session()
    let error = await #expect(throws: LupineError.self) {
      for try await _ in session.streamRequest(TestBed.url).serializingDecodableLines(of: Int.self) {}
    }
    #expect(text(error) == "\"two\"")
  }
}
