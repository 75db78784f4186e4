import Foundation
import Lupine
import LupineMock
import Synchronization

/// A program with its own kinds of request, which use the same public interface as downloads and streams.
@main struct OwnRequests {
  struct Surprise: Error {
    let what: String
  }

  static let url = "https://example.com/article"
  /// The Adler-32 checksum of `Wikipedia`.
  static let expected: UInt32 = 0x11E6_0398

  static func main() async throws {
    try await checkValue()
    try await checkSize()
    try await checkInterceptor()
    try await checkHandler()
    try await checkRetry()
    try await checkValidation()
    try await checkCancellation()
    try await checkInvalidURL()
    try await checkParts()
    try await checkLeaving()
    print("with kinds of request of its own, the program got every answer it expected")
  }

  static func expect<Value: Equatable>(_ value: Value, _ expected: Value, line: Int = #line) throws {
    guard value == expected else { throw Surprise(what: "line \(line): \(value) instead of \(expected)") }
  }

  static func session(_ replies: MockReply...) throws -> (Session, MockTransport) {
    let mock = MockTransport()
    mock.stub(.get, url, .sequence(replies))
    let session = try Session.Builder().transport(mock).clock(ImmediateClock()).retrier(.backoff(limit: 2)).build()
    return (session, mock)
  }

  static func checkValue() async throws {
    let (session, mock) = try session(.text("Wikipedia").field(.eTag, "\"1\""))
    let request = session.checksum(url, parameters: ["page": 1])
    let checksum = try await request.value
    try expect(checksum.value, expected)
    try expect(checksum.head.headerFields[.eTag], "\"1\"")
    try expect(try await request.value.value, expected)
    try expect(mock.requests.map { "\($0.url)" }, ["\(url)?page=1"])
    try expect(request.description, "GET \(url)?… (200)")
    await session.shutdown()
  }

  /// Checks that a body may exceed the session's limit for memory, because the request keeps nothing of it.
  static func checkSize() async throws {
    let mock = MockTransport()
    mock.stub(.get, url, .data(Data(count: 2 << 20)))
    var limits = Limits()
    limits.responseBody = 1_000
    let session = try Session.Builder().transport(mock).limits(limits).build()
    let request = session.checksum(url)
    // The low sum stays 1, and the high sum counts the zeros.
    try expect(try await request.value.value, UInt32((2 << 20) % 65_521) << 16 | 1)
    let outcome = await request.execution.outcome()
    try expect(outcome.response?.data.count, 0)
    await session.shutdown()
  }

  /// Checks that a response of an interceptor passes through the same stage.
  static func checkInterceptor() async throws {
    let session = try Session.Builder().transport(MockTransport()).interceptor(StoredArticle()).build()
    try expect(try await session.checksum(url).value.value, expected)
    await session.shutdown()
  }

  static func checkHandler() async throws {
    let (session, _) = try session(.text("Wikipedia"))
    let values = Mutex<[UInt32?]>([])
    session.checksum(url).responseChecksum { result in
      values.withLock { $0.append(try? result.get().value) }
    }.responseChecksum { _ in values.withLock { $0.append(nil) } }
    await session.finishRequests()
    try expect(values.withLock { $0 }, [expected, nil])
    await session.shutdown()
  }

  /// Checks that a retry starts a new checksum, after a refused response and after a truncated one.
  static func checkRetry() async throws {
    let (session, mock) = try session(
      .text("busy", status: .serviceUnavailable), .text("Wikipedia").truncated(afterBytes: 4), .text("Wikipedia"))
    try expect(try await session.checksum(url).validate().value.value, expected)
    try expect(mock.requests.count, 3)
    await session.shutdown()
  }

  static func checkValidation() async throws {
    let (session, _) = try session(.text("There is no such article.", status: .notFound))
    do {
      let checksum = try await session.checksum(url).validate().value
      throw Surprise(what: "the checksum \(checksum.value) of a refused response")
    } catch let error as LupineError {
      try expect(error.kind, .unacceptableStatusCode(404))
      try expect(error.body.map { String(decoding: $0, as: UTF8.self) }, "There is no such article.")
    }
    await session.shutdown()
  }

  static func checkCancellation() async throws {
    let stalled = MockReply.text("Wikipedia").stall(afterBytes: 4)
    let mock = MockTransport()
    mock.stub(.get, url, .sequence([stalled, stalled]))
    // No time passes, so that the requests do not time out before they are cancelled.
    let session = try Session.Builder().transport(mock).clock(TestClock()).build()
    let request = session.checksum(url)
    let ended = Mutex<LupineError.Kind?>(nil)
    request.responseChecksum { result in
      if case .failure(let error) = result { ended.withLock { $0 = error.kind } }
    }.cancel()
    await session.finishRequests()
    try expect(ended.withLock { $0 }, .cancelled)
    let task = Task { await session.checksum(url).execution.outcome().error?.kind }
    task.cancel()
    try expect(await task.value, .cancelled)
    await session.shutdown()
  }

  /// Checks that an error in the description of a request is the error of the request.
  static func checkInvalidURL() async throws {
    let (session, mock) = try session(.text("Wikipedia"))
    let outcome = await session.checksum("no URL").execution.outcome()
    try expect(outcome.error.map { "\($0.kind)".hasPrefix("invalid") }, true)
    try expect(mock.requests.count, 0)
    await session.shutdown()
  }

  /// Checks responses that are delivered at their head: all parts, a refused response, and an unterminated last part.
  static func checkParts() async throws {
    let (session, mock) = try session(
      .text("").chunked(["a;b", "c;", "d;"]), .text("busy", status: .serviceUnavailable), .text("e;"), .text("f;g"))
    try expect(await parts(in: session), ["a", "bc", "d"])
    try expect(await parts(in: session), ["e"])
    try expect(await parts(in: session), ["f", "malformedResponse"])
    await session.shutdown()
    try mock.verify()
  }

  /// Checks that a reader receives no further part after it has cancelled the request.
  static func checkLeaving() async throws {
    let mock = MockTransport()
    mock.stub(.get, url, .text("h;i;j;").stall(afterBytes: 5))
    let session = try Session.Builder().transport(mock).clock(TestClock()).build()
    try expect(await parts(in: session, cancellingAfter: "h"), ["h", "cancelled"])
    await session.shutdown()
  }

  static func parts(in session: Session, cancellingAfter last: String? = nil) async -> [String] {
    let found = Mutex<[String]>([])
    let request = SplitRequest(session, url).validate()
    request.responseParts(UInt8(ascii: ";")) { result in
      switch result {
      case .success(let text):
        found.withLock { $0.append(text) }
        if text == last { request.cancel() }
      case .failure(let error): found.withLock { $0.append("\(error.kind)") }
      }
    }
    await session.finishRequests()
    return found.withLock { $0 }
  }
}

/// Answers each request without the network.
struct StoredArticle: Interceptor {
  func intercept(
    _ request: OutgoingRequest, context: TransferContext,
    next: nonisolated(nonsending) (OutgoingRequest) async throws -> TransportResponse
  ) async throws -> TransportResponse {
    TransportResponse(head: HTTPResponse(status: .ok), body: .complete(Data("Wikipedia".utf8)))
  }
}
