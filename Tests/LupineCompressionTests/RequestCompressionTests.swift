import Foundation
import HTTPTypes
import LupineCompression
import LupineCore
import LupineSession
import LupineMock
import Testing

@Suite struct RequestCompressionTests {
  enum Kind: CaseIterable { case bytes, manyBytes, stream }

  private static func body(_ kind: Kind) -> (RequestBody, Data) {
    // The size of `manyBytes` is a little more than one compression step takes.
    let size = kind == .manyBytes ? 1_100_000 : 10_000
    let data = (0..<size / 1_000).reduce(into: Data()) { data, number in
      data += Data(repeating: UInt8(truncatingIfNeeded: number), count: 1_000)
    }
    guard kind == .stream else { return (.bytes(data), data) }
    return (
      .stream {
        AsyncStream<[UInt8]> { continuation in
          for start in stride(from: 0, to: data.count, by: 999) {
            continuation.yield([UInt8](data[start...].prefix(999)))
          }
          continuation.finish()
        }
      }, data
    )
  }

  private static func decoded(_ data: Data, _ coding: any ContentCoding) throws -> Data {
    let decoder = try coding.makeDecoder(limits: DecodingLimits(maximumSize: .max, maximumRatio: 1e9))
    var result: [UInt8] = []
    try data.withUnsafeBytes { try decoder.transform($0) { result += $0 } }
    try decoder.finish { result += $0 }
    return Data(result)
  }

  private func send(_ body: RequestBody, headers: HTTPFields = [:], _ adapter: RequestCompression) async throws
    -> RecordedRequest
  {
    let mock = MockTransport()
    mock.stub(.post, "https://example.com/", .text("received"))
    let session = try Session.Builder().transport(mock).adapter(adapter).build()
    let response = await session.upload(body, to: "https://example.com/", headers: RequestHeaders(headers))
      .serializingData().response
    if let error = response.error { throw error }
    return try #require(mock.requests.first)
  }

  @Test(arguments: Kind.allCases, ["gzip", "deflate", "br", "zstd"])
  func `a body is coded, and named so`(kind: Kind, name: String) async throws {
    let codings: [any ContentCoding] = [.gzip, .deflate, .brotli, .zstd]
    let coding = try #require(codings.first { $0.name == name })
    let (body, data) = Self.body(kind)
    let sent = try await send(body, Self.adapter(coding))
    #expect(sent.headers[.contentEncoding] == name)
    #expect(sent.body.count < data.count)
    #expect(try Self.decoded(sent.body, coding) == data)
  }

  private static func adapter(_ coding: any ContentCoding) -> RequestCompression { RequestCompression(coding) }

  @Test func `a small body and a missing body are sent unchanged`() async throws {
    for body in [RequestBody.text("small"), .none] {
      #expect(try await send(body, .compression()).headers[.contentEncoding] == nil)
    }
    #expect(try await send(.text("small"), .compression(minimumSize: 0)).headers[.contentEncoding] == "gzip")
  }

  @Test(arguments: [RequestCompression.ExistingCoding.fail, .replace, .skip])
  func `a request that is coded already fails, is replaced or skipped, as chosen`(
    existing: RequestCompression.ExistingCoding
  ) async throws {
    let (body, data) = Self.body(.bytes)
    let headers: HTTPFields = [.contentEncoding: "br"]
    switch existing {
    case .fail:
      await #expect { _ = try await send(body, headers: headers, .compression(existing: existing)) } throws: { error in
        (error as? LupineError)?.kind == .invalidRequest
      }
    case .skip:
      let sent = try await send(body, headers: headers, .compression(existing: existing))
      #expect(sent.headers[.contentEncoding] == "br")
      #expect(sent.body == data)
    case .replace:
      let sent = try await send(body, headers: headers, .compression(existing: existing))
      #expect(sent.headers[.contentEncoding] == "gzip")
      #expect(try Self.decoded(sent.body, .gzip) == data)
    }
  }

  @Test(arguments: [RequestCompression.ExistingCoding.fail, .replace, .skip])
  func `a small body keeps its coding, whatever the treatment`(existing: RequestCompression.ExistingCoding) async throws
  {
    let sent = try await send(.text("small"), headers: [.contentEncoding: "br"], .compression(existing: existing))
    #expect(sent.headers[.contentEncoding] == "br")
    #expect(sent.text == "small")
  }

  @Test func `a one-shot stream that came to no connection is coded and sent at the next`() async throws {
    let mock = MockTransport()
    mock.stub(.put, "https://example.com/", .sequence([.fault(.connectionRefused), .text("received")]))
    let session = try Session.Builder().transport(mock).clock(ImmediateClock()).adapter(.compression())
      .retrier(.backoff(limit: 1)).build()
    let (stream, pieces) = AsyncStream.makeStream(of: [UInt8].self)
    pieces.yield(Array("content".utf8))
    pieces.finish()
    _ = try await session.upload(.oneShot(stream), to: "https://example.com/", method: .put).serializingData().value
    #expect(mock.requests.count == 2)
    let sent = try #require(mock.requests.last)
    #expect(try Self.decoded(sent.body, .gzip) == Data("content".utf8))
  }

  @Test func `a one-shot stream of which something was read is not coded again`() async throws {
    let mock = MockTransport()
    mock.stub(.put, "https://example.com/", .sequence([.status(.serviceUnavailable), .text("received")]))
    let session = try Session.Builder().transport(mock).clock(ImmediateClock()).adapter(.compression())
      .retrier(.backoff(limit: 1)).build()
    let body = RequestBody.oneShot(
      AsyncStream<[UInt8]> { pieces in
        pieces.yield(Array("content".utf8))
        pieces.finish()
      })
    let response = await session.upload(body, to: "https://example.com/", method: .put).serializingData().response
    #expect(response.response?.status.code == 503)
    #expect(mock.requests.count == 1)
  }

  @Test func `a body that can be sent again still can, and one that cannot still cannot`() async throws {
    let mock = MockTransport()
    let session = try Session.Builder().transport(mock).build()
    let adapter = RequestCompression(.gzip)
    for (body, isReplayable) in [
      (Self.body(.stream).0, true), (RequestBody.oneShot(AsyncStream<[UInt8]> { $0.finish() }), false),
    ] {
      let adapted = try await adapter.adapt(OutgoingRequest("https://example.com/", body: body), for: session)
      #expect(adapted.body.isReplayable == isReplayable)
    }
  }

  @Test func `a predicate decides by the request and its body`() async throws {
    let (body, data) = Self.body(.bytes)
    let adapter: RequestCompression = .compression(where: { request in
      guard case .bytes(let bytes) = request.body.source else { return false }
      return request.headers[.contentType] != "image/png" && bytes.count < 20_000
    })
    #expect(try await send(body, adapter).headers[.contentEncoding] == "gzip")
    let image = try await send(body, headers: [.contentType: "image/png"], adapter)
    #expect(image.headers[.contentEncoding] == nil)
    #expect(image.body == data)
    #expect(try await send(Self.body(.stream).0, adapter).headers[.contentEncoding] == nil)
  }

  @Test func `a predicate is not asked about a small body, and what it refuses keeps its coding`() async throws {
    let never = RequestCompression(.gzip) { _ in
      Issue.record("The predicate was called.")
      return true
    }
    #expect(try await send(.text("small"), never).text == "small")
    let sent = try await send(
      Self.body(.bytes).0, headers: [.contentEncoding: "br"], RequestCompression(.gzip) { _ in false })
    #expect(sent.headers[.contentEncoding] == "br")
  }
}
