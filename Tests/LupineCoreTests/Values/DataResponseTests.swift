import Foundation
import HTTPTypes
import Testing

@testable import LupineCore
@testable import LupineSession

@Suite struct DataResponseTests {
  private struct Failure: Error {}

  private func response<Value: Sendable>(
    _ result: Result<Value, LupineError>, data: Data? = nil
  ) throws -> DataResponse<Value> {
    var request = OutgoingRequest(url: try HTTPURL("https://example.com/a?key=hidden"), method: .post)
    request.headers[.authorization] = "Bearer hidden"
    request.headers[.accept] = "text/plain"
    var head = HTTPResponse(status: .ok)
    head.headerFields[.setCookie] = "session=hidden"
    head.headerFields[.server] = "nginx"
    return DataResponse(
      request: request, response: head, data: data, metrics: TransferMetrics(),
      serializationDuration: .milliseconds(2), result: result)
  }

  private static let failed = LupineError(.timedOut(.idle), "It took too long.")

  @Test func `a value and an error exclude each other`() throws {
    #expect(try response(.success(1)).value == 1)
    #expect(try response(.success(1)).error == nil)
    #expect(try response(Result<Int, LupineError>.failure(Self.failed)).value == nil)
    #expect(try response(Result<Int, LupineError>.failure(Self.failed)).error?.kind == .timedOut(.idle))
  }

  @Test func `map changes the value and keeps the rest`() throws {
    let mapped = try response(.success(1), data: Data([1])).map { "\($0 + 1)" }
    #expect(mapped.value == "2")
    #expect(mapped.data == Data([1]))
    #expect(mapped.request?.method == .post)
    #expect(mapped.serializationDuration == .milliseconds(2))
    #expect(try response(Result<Int, LupineError>.failure(Self.failed)).map { $0 }.error?.kind == .timedOut(.idle))
  }

  @Test func `tryMap wraps an error of the closure`() throws {
    #expect(try response(.success(1)).tryMap { $0 + 1 }.value == 2)
    let error = try response(.success(1)).tryMap { (_: Int) -> Int in throw Failure() }.error
    #expect(error?.kind == .serializationFailed)
    #expect(error?.underlying is Failure)
    #expect(error?.response?.status.code == 200)
    #expect(error?.request?.method == .post)
  }

  @Test func `tryMap passes a LupineError on`() throws {
    let error = try response(.success(1)).tryMap { (_: Int) -> Int in throw Self.failed }.error
    #expect(error?.kind == .timedOut(.idle))
  }

  @Test func `mapError changes the error alone`() throws {
    let changed = try response(Result<Int, LupineError>.failure(Self.failed)).mapError {
      LupineError(.other, $0.message)
    }
    #expect(changed.error?.kind == .other)
    #expect(changed.error?.message == Self.failed.message)
    #expect(try response(.success(1)).mapError { _ in Self.failed }.value == 1)
  }

  @Test func `tryMapError wraps an error of the closure`() throws {
    let failed = try response(Result<Int, LupineError>.failure(Self.failed))
    #expect(failed.tryMapError { _ in LupineError(.other, "x") }.error?.kind == .other)
    let error = failed.tryMapError { _ in throw Failure() }.error
    #expect(error?.kind == .other)
    #expect(error?.underlying is Failure)
  }

  @Test func `the description is one line`() throws {
    #expect(try response(.success("hi")).description == "POST https://example.com/a?… (200): success(hi)")
    let failed = try response(Result<Int, LupineError>.failure(Self.failed))
    #expect(failed.description == "POST https://example.com/a?… (200): failure(It took too long.)")
    let nothing = DataResponse<Int>(request: nil, response: nil, data: nil, result: .failure(Self.failed))
    #expect(nothing.description == "no request: failure(It took too long.)")
  }

  @Test func `the debug description holds no secret`() throws {
    let text = try response(.success(1), data: Data("body".utf8)).debugDescription
    #expect(!text.contains("hidden"))
    #expect(text.contains("Authorization: <redacted>"))
    #expect(text.contains("Set-Cookie: <redacted>"))
    #expect(text.contains("Server: nginx"))
    #expect(text.contains("    body"))
  }

  @Test func `the body is escaped, indented and cut`() throws {
    let body = "a\u{1B}[2J\n[Result] success\u{0}" + String(repeating: "x", count: 2_000)
    let text = try response(.success(1), data: Data(body.utf8)).debugDescription
    #expect(text.contains(#"a\u{1B}[2J"#))
    #expect(text.contains("\n    [Result] success\\u{0}"))
    #expect(!text.contains(String(repeating: "x", count: 1_024)))
    #expect(text.contains("x…\n"))
    #expect(text.contains("[Body] \(body.utf8.count) bytes"))
  }

  @Test func `fields of one's own are redacted on request`() throws {
    let text = try response(.success(1)).debugDescription(redacting: SecretFields(names: [.server]))
    #expect(text.contains("Server: <redacted>"))
  }
}
